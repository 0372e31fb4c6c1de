/**
 * All limits on network input, in one place. Normal console use and sequential scripts stay far below them.
 * docs/security.md lists the same numbers.
 */
export const limits = {
  body: {
    /** Maximum size of a JSON body in bytes, for signed-in and anonymous callers. */
    signedInBytes: 1024 * 1024,
    publicBytes: 16 * 1024,
    /** Time limit for receiving a body: a base time, plus its size divided by the minimum rate. */
    graceMs: 10_000,
    bytesPerSecond: 16 * 1024,
    /** Maximum number of incomplete bodies, per address and in total. */
    unfinishedOfAddress: 64,
    unfinishedInAll: 256,
    /** Maximum number of validation errors listed for one body. The response says if there are more. */
    faults: 20,
  },
  connections: {
    /**
     * Maximum number of connections, per address and in total. Connections from a trusted proxy count only toward the
     * total.
     */
    ofAddress: 2048,
    inAll: 8192,
    /** Idle connections are closed after this time. */
    idleMs: 72_000,
    /**
     * Idle connections to the S3 port are closed after this time. The server also aborts a request if its client
     * neither sends nor reads data for this long.
     */
    idleOfS3Ms: 60_000,
  },
  /** Request rates: a burst, then a sustained rate. MAINSTAY_CALLS_PER_SECOND sets the rate per token. */
  rates: {
    address: { burst: 6000, perSecond: 1500 },
    token: { burst: 2000, perSecond: 500 },
  },
  /**
   * Concurrency limits per tenant (a project, or a user outside any project) and in total: running requests, queued
   * requests, and maximum wait. Tenants take turns, no matter how many requests each of them sends.
   */
  turns: {
    lists: { atOnceOfTenant: 3, atOnce: 8, waitingOfTenant: 200, waiting: 2000, waitMs: 30_000 },
    longLists: { atOnceOfTenant: 1, atOnce: 2, waitingOfTenant: 200, waiting: 1000, waitMs: 60_000 },
    commands: { atOnceOfTenant: 16, atOnce: 64, waitingOfTenant: 500, waiting: 4000, waitMs: 60_000 },
  },
  /** A list with more rows counts as a long list. */
  longListRows: 200,
  sockets: {
    /** Maximum number of signed-in sockets and of open consoles per user. */
    ofUser: 100,
    consolesOfUser: 32,
    /** Sign-in rates, per socket and for all sockets of a user. */
    logins: { burst: 10, perSecond: 0.5 },
    loginsOfUser: { burst: 200, perSecond: 5 },
    /** Maximum number of sign-ins queued on one socket. */
    loginsWaiting: 3,
    /** A socket that has not signed in is closed after this time. */
    loginWithinMs: 10_000,
  },
  /** Identity provider tests per user. */
  testedProviders: { burst: 20, perSecond: 0.2 },
  /** SAML responses per address: verifying one is as expensive as several password checks. */
  samlResponses: { burst: 200, perSecond: 1 },
  /**
   * Size limits that a SAML response must meet before its signature is checked: number of tags, and characters in
   * `SignedInfo`. An attribute with 500 values has 1 000 tags, and a typical `SignedInfo` has about 1 000 characters.
   */
  samlResponse: { tags: 2000, signedInfoCharacters: 8192 },
  /**
   * RSA key generation: rate per user, and concurrency. Each key takes about a second on a thread that is also needed
   * for passwords and file operations.
   */
  rsaKeys: {
    ofUser: { burst: 5, perSecond: 0.1 },
    turns: { atOnceOfTenant: 1, atOnce: 1, waitingOfTenant: 4, waiting: 20, waitMs: 30_000 },
  },
  /** Problem reports per user. Operators are exempt. */
  problemReports: { burst: 10, perSecond: 0.002 },
  /** Test emails per user. */
  testMails: { burst: 20, perSecond: 0.2 },
  /** Test traps per user. */
  testTraps: { burst: 20, perSecond: 0.2 },
  /** Password reset requests per address. */
  forgottenPasswords: { burst: 10, perSecond: 0.02 },
  /** Registrations of hosts, and downloads of the registration script, per address. */
  nodeRegistrations: { burst: 60, perSecond: 0.2 },
  /** Pending passkey challenges for sign-in per address, across all servers. */
  passkeyChallenges: { waiting: 400 },
  /** Directory connection tests per user. */
  testDirectories: { burst: 20, perSecond: 0.2 },
  audit: {
    /** Maximum length in characters. Longer texts are truncated. */
    name: 255,
    path: 255,
    message: 1024,
    /** Maximum number of changed fields per entry, and maximum length of each field name and value, in characters. */
    changes: 50,
    changedField: 64,
    change: 255,
    /** Entries for failed anonymous calls, per address and in total. The log contains all of them. */
    anonymousOfAddress: { burst: 60, perSecond: 0.1 },
    anonymous: { burst: 500, perSecond: 2 },
    /** Entries deleted per statement. */
    pruneAtOnce: 1000,
  },
}

/** Tests inject other values. */
export type Limits = typeof limits

/** The limits at a different rate per token, in requests per second. Rates per address are scaled in proportion. */
export function limitsAt(callsPerSecond: number): Limits {
  const factor = callsPerSecond / limits.rates.token.perSecond
  const scaled = ({ burst, perSecond }: Rate): Rate => ({ burst: burst * factor, perSecond: perSecond * factor })
  const { address, token } = limits.rates
  return { ...limits, rates: { address: scaled(address), token: scaled(token) } }
}

/** A burst, then a sustained rate. */
export interface Rate {
  burst: number
  perSecond: number
}
