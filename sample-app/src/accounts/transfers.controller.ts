import { Body, Controller, Post } from '@nestjs/common';
import { type TransferRequest, TransferPipe } from './account.requests.js';
import { AccountsService, type Receipt } from './accounts.service.js';

@Controller('transfers')
export class TransfersController {
  constructor(private readonly accounts: AccountsService) {}

  @Post()
  transfer(@Body(TransferPipe) request: TransferRequest): Promise<Receipt> {
    return this.accounts.transfer(request);
  }
}
