/** A remark about a connection that is used although it is not in all respects as its options demand it. */
export type HandshakeWarning = 'password-unneeded' | 'server-unchecked' | 'resp3-refused' | 'sentinel-away';

/** Called for such a connection. @param why the server's own words */
export type WarningListener = (warning: HandshakeWarning, why: string) => void;
