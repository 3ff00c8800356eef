export type { DashboardAction } from '../dashboard-feeds/dashboard.model.js';
export { DistributedLockDashboardModule } from './dashboard.module.js';
export type {
  DashboardAsyncOptions,
  DashboardModuleOptions,
  DashboardMount,
  DashboardOptions,
  DashboardRequest,
} from './dashboard.options.js';
