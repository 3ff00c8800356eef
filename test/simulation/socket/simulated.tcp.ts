import type { SeededDice } from '../seeded.dice.js';
import type { Network } from '../simulated.wire.js';
import type { World } from '../world.js';
import { ByteWire, type TcpEnd } from './byte.wire.js';

const RESET = 'read ECONNRESET';

/** One TCP connection. Each end knows only what has arrived there. */
export class SimulatedTcp {
  readonly toServer: ByteWire;
  readonly toClient: ByteWire;

  constructor(
    world: World,
    network: Network,
    dice: SeededDice,
    { client, server }: { readonly client: TcpEnd; readonly server: TcpEnd },
  ) {
    const parts = { world, network, dice };
    this.toServer = new ByteWire({
      ...parts,
      delays: network.requests,
      to: server,
      refused: () => this.toClient.reset(RESET),
    });
    this.toClient = new ByteWire({
      ...parts,
      delays: network.replies,
      to: client,
      refused: () => this.toServer.reset(RESET),
    });
  }

  /** Whether one of its directions swallows what is sent, so that its client believes in a connection that it does not have. */
  get isSilent(): boolean {
    return this.toServer.isSilent || this.toClient.isSilent;
  }

  /** Both ends lose the connection. */
  cut(): void {
    this.toServer.cut(RESET);
    this.toClient.cut(RESET);
  }

  /** Both directions swallow what is sent, as a firewall does that has forgotten the connection. */
  silence(): void {
    this.toServer.silence();
    this.toClient.silence();
  }

  part(): void {
    this.toServer.part();
    this.toClient.part();
  }
}
