// How soon a server ends the session of a machine that is gone without a word, by a crash, a power cut or a cut network.

/**
 * Settings for one session: its server asks after 15 seconds of silence, and gives up 15 seconds later. By a server's own settings it
 * asks after two hours, and until then the session keeps its locks. Servers ignore them on Unix sockets.
 */
export const KEEPALIVES = { tcp_keepalives_idle: 15, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 } as const;
