import { Body, ConflictException, Controller, type ExecutionContext, Get, Param, Post } from '@nestjs/common';
import { DistributedLock, UseDistributedLock } from 'nestjs-distributed-lock';
import { accountLock } from './account.lock.js';
import { AccountRepository } from './account.repository.js';
import { type MovementRequest, MovementPipe, type OpeningRequest, OpeningPipe } from './account.requests.js';
import { AccountsService, type Receipt } from './accounts.service.js';

interface AccountRequest {
  readonly params: { readonly id: string };
}

@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: AccountRepository,
  ) {}

  @Post()
  async open(@Body(OpeningPipe) { id, balance }: OpeningRequest): Promise<OpeningRequest> {
    if (await this.repository.open(id, balance)) return { id, balance };
    throw new ConflictException(`There is an account "${id}"`);
  }

  @Get(':id')
  async read(@Param('id') id: string): Promise<OpeningRequest> {
    return { id, balance: await this.repository.balance(id) };
  }

  /** One withdrawal of an account at a time, in the fleet; one that waited for 2 s is answered with 423. */
  @Post(':id/withdrawals')
  @DistributedLock((id: string) => accountLock(id), { waitTime: '2s' })
  withdraw(@Param('id') id: string, @Body(MovementPipe) request: MovementRequest): Promise<Receipt> {
    return this.accounts.withdraw(id, request);
  }

  /** The same lock by the other door, for a key that is taken from the request. */
  @Post(':id/deposits')
  @UseDistributedLock({
    key: (context: ExecutionContext) =>
      accountLock(context.switchToHttp().getRequest<AccountRequest>().params.id),
    waitTime: '2s',
  })
  deposit(@Param('id') id: string, @Body(MovementPipe) request: MovementRequest): Promise<Receipt> {
    return this.accounts.deposit(id, request);
  }
}
