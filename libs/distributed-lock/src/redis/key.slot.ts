/** The hash slot of a key, as Redis Cluster computes it: CRC16 (XMODEM) of the key, or of its first non-empty `{tag}`. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  return crc16(Buffer.from(close > open + 1 ? key.slice(open + 1, close) : key)) % 16_384;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc;
}
