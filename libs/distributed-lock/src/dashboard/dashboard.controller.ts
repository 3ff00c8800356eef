import { Controller, Get, Inject, Param, Post, Req, Res, UseGuards, type Type } from '@nestjs/common';
import type { DashboardMount } from './dashboard.options.js';
import { DashboardService } from './dashboard.service.js';
import {
  answer,
  answerJson,
  hasLeft,
  isOfPage,
  openStream,
  pathOf,
  type HttpRequest,
  type HttpResponse,
} from './http.exchange.js';

/** Makes the controller of a dashboard: a class for each, since Nest has the path and the guards of a class. */
export function dashboardController(
  { path = 'locks', guards = [] }: DashboardMount,
  token: symbol,
): Type<unknown> {
  @Controller(path)
  @UseGuards(...guards)
  class DistributedLockDashboardController {
    constructor(@Inject(token) private readonly dashboard: DashboardService) {}

    @Get()
    async page(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
      const file = await this.dashboard.file('index.html');
      const html = file?.body.toString() ?? '';
      answer(response, 200, file?.type ?? 'text/html', html.replaceAll('%ROOT%', rootOf(pathOf(request))));
    }

    @Get('assets/:file')
    async asset(
      @Param('file') name: string,
      @Req() request: HttpRequest,
      @Res() response: HttpResponse,
    ): Promise<void> {
      const file = await this.dashboard.file(`assets/${name}`);
      if (file === undefined) return answerJson(response, 404, { message: 'The page has no such file.' });
      response.header('etag', file.etag);
      if (request.headers['if-none-match'] === file.etag) return answer(response, 304, file.type, '');
      answer(response, 200, file.type, file.body);
    }

    @Get('api/about')
    about(@Res() response: HttpResponse): void {
      answerJson(response, 200, this.dashboard.about);
    }

    @Get('api/events')
    events(@Req() request: HttpRequest, @Res() response: HttpResponse): void {
      if (hasLeft(request, response)) return;
      // A route for GET gets HEAD as well.
      if (request.method === 'HEAD') return answer(response, 200, 'text/event-stream; charset=utf-8', '');
      const { query } = request;
      const parameters = typeof query === 'object' && query !== null ? { ...query } : {};
      const feed = this.dashboard.feedOf(parameters);
      if ('status' in feed) return answerJson(response, feed.status, { message: feed.message });
      let remove: (() => void) | undefined;
      const stream = openStream(response, this.dashboard.wheel, () => remove?.());
      remove = this.dashboard.watch(feed, stream);
    }

    @Post('api/actions')
    async act(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
      if (!isOfPage(request))
        return answerJson(response, 403, {
          isDone: false,
          message: 'The request does not come from the page of this dashboard.',
        });
      const { status, answer: body } = await this.dashboard.act(request, request.body);
      answerJson(response, status, body);
    }
  }
  return DistributedLockDashboardController;
}

/** The way from the page to its other routes, which is the same behind a proxy that changes the beginning of the path. */
function rootOf(path: string): string {
  const last = /[^/]*$/.exec(path)?.[0] ?? '';
  return /^[\w.~%-]+$/.test(last) ? `${last}/` : './';
}
