import { Module } from '@nestjs/common';
import { AccountRepository } from './account.repository.js';
import { AccountsController } from './accounts.controller.js';
import { AccountsService } from './accounts.service.js';
import { RiskReview } from './risk.review.js';
import { TransfersController } from './transfers.controller.js';

@Module({
  controllers: [AccountsController, TransfersController],
  providers: [AccountRepository, AccountsService, RiskReview],
  exports: [AccountRepository],
})
export class AccountsModule {}
