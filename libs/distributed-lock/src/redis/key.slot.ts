/** The effect of each byte on a CRC16 (XMODEM), by the polynomial 0x1021. */
const STEPS = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  return crc;
});

/** The hash slot of a key, as Redis Cluster computes it: CRC16 (XMODEM) of the key, or of its first non-empty `{tag}`. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  return crc16(close > open + 1 ? key.slice(open + 1, close) : key) % 16_384;
}

function crc16(text: string): number {
  let crc = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return crcOfBytes(Buffer.from(text));
    crc = step(crc, code);
  }
  return crc;
}

function crcOfBytes(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = step(crc, byte);
  return crc;
}

function step(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ (STEPS[(crc >> 8) ^ byte] ?? 0);
}
