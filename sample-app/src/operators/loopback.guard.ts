import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

/**
 * The sample application knows no users, and listens on the loopback interface alone: each user of the machine may be an operator. The header
 * refuses pages of other sites whose name leads to this machine. An application that others can reach has to know its operators.
 */
@Injectable()
export class LoopbackGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: { host?: string } }>();
    return /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? '');
  }
}
