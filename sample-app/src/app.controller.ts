import { Controller, Get } from '@nestjs/common';
import { AppSettings } from './settings/app.settings.js';

@Controller()
export class AppController {
  constructor(private readonly settings: AppSettings) {}

  @Get()
  status(): { status: 'ok'; instance: string } {
    return { status: 'ok', instance: this.settings.instance };
  }
}
