import { BadRequestException, type PipeTransform } from '@nestjs/common';

export interface OpeningRequest {
  readonly id: string;
  /** Cents. */
  readonly balance: number;
}

export interface MovementRequest {
  /** Cents, above 0. */
  readonly amount: number;
  /** The customer's own reference: sent again, it is booked once. */
  readonly reference: string;
}

export interface TransferRequest extends MovementRequest {
  readonly from: string;
  readonly to: string;
}

type Fields = Readonly<Record<string, unknown>>;

export class OpeningPipe implements PipeTransform<unknown, OpeningRequest> {
  transform(body: unknown): OpeningRequest {
    const fields = fieldsOf(body);
    return { id: textOf(fields, 'id'), balance: centsOf(fields, 'balance', 0) };
  }
}

export class MovementPipe implements PipeTransform<unknown, MovementRequest> {
  transform(body: unknown): MovementRequest {
    return movementOf(fieldsOf(body));
  }
}

export class TransferPipe implements PipeTransform<unknown, TransferRequest> {
  transform(body: unknown): TransferRequest {
    const fields = fieldsOf(body);
    const transfer = { ...movementOf(fields), from: textOf(fields, 'from'), to: textOf(fields, 'to') };
    if (transfer.from === transfer.to) throw new BadRequestException('from and to must be two accounts');
    return transfer;
  }
}

function movementOf(fields: Fields): MovementRequest {
  return { amount: centsOf(fields, 'amount', 1), reference: textOf(fields, 'reference') };
}

function fieldsOf(body: unknown): Fields {
  if (typeof body !== 'object' || body === null)
    throw new BadRequestException('the body must be a JSON object');
  return { ...body };
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)) return value;
  throw new BadRequestException(`${name} must be 1 to 64 letters, digits, ".", "_" or "-"`);
}

function centsOf(fields: Fields, name: string, least: number): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new BadRequestException(`${name} must be a whole number of cents, at least ${least}`);
}
