/**
 * All limits on network input, in one place. Console users and sequential scripts stay far below them; docs/security.md
 * lists the same numbers.
 */
export const limits = {
  body: {
    /** Maximum size of a JSON body in bytes, for signed-in and for anonymous callers. */
    signedInBytes: 1024 * 1024,
    publicBytes: 16 * 1024,
    /** Time limit of a body: a base time, plus its size divided by the slowest accepted rate. */
    graceMs: 10_000,
    bytesPerSecond: 16 * 1024,
    /** Incomplete bodies, per address and in total. */
    unfinishedOfAddress: 64,
    unfinishedInAll: 256,
    /** Faults of one body that are listed; the response says if there are more. */
    faults: 20,
  },
  connections: {
    /** Connections per address and in total. Those of a trusted proxy count only towards the total. */
    ofAddress: 2048,
    inAll: 8192,
    /** An idle connection is closed after this time. */
    idleMs: 72_000,
    /** The same on the S3 port, where a request is also aborted if its client neither sends nor reads for this time. */
    idleOfS3Ms: 60_000,
  },
  /** Request rates: a burst, then a steady rate. MAINSTAY_CALLS_PER_SECOND sets the rate of a token. */
  rates: {
    address: { burst: 6000, perSecond: 1500 },
    token: { burst: 2000, perSecond: 500 },
  },
  /**
   * Concurrency per tenant (a project, or a user outside of one) and in total: running requests, waiting requests, and
   * maximum wait. Tenants take turns, however many requests each of them sends.
   */
  turns: {
    lists: { atOnceOfTenant: 3, atOnce: 8, waitingOfTenant: 200, waiting: 2000, waitMs: 30_000 },
    longLists: { atOnceOfTenant: 1, atOnce: 2, waitingOfTenant: 200, waiting: 1000, waitMs: 60_000 },
    commands: { atOnceOfTenant: 16, atOnce: 64, waitingOfTenant: 500, waiting: 4000, waitMs: 60_000 },
  },
  /** A list with more rows counts as a long list. */
  longListRows: 200,
  sockets: {
    /** Signed-in sockets and open consoles per user. */
    ofUser: 100,
    consolesOfUser: 32,
    /** Sign-in rates per socket, and for all sockets of a user. */
    logins: { burst: 10, perSecond: 0.5 },
    loginsOfUser: { burst: 200, perSecond: 5 },
    /** Sign-ins of one socket that wait for the previous one. */
    loginsWaiting: 3,
    /** A socket without a sign-in is closed after this time. */
    loginWithinMs: 10_000,
  },
  /** Identity provider tests per user. */
  testedProviders: { burst: 20, perSecond: 0.2 },
  /** SAML responses per address: checking one costs as much as several password checks. */
  samlResponses: { burst: 200, perSecond: 1 },
  /**
   * Size limits of a SAML response before its signature is checked: number of tags, and characters of `SignedInfo`. An
   * attribute with 500 values has 1 000 tags, and a `SignedInfo` has about 1 000 characters.
   */
  samlResponse: { tags: 2000, signedInfoCharacters: 8192 },
  /**
   * RSA key generation: rate per user, and concurrency. A key takes about a second on a thread that password and file
   * operations share.
   */
  rsaKeys: {
    ofUser: { burst: 5, perSecond: 0.1 },
    turns: { atOnceOfTenant: 1, atOnce: 1, waitingOfTenant: 4, waiting: 20, waitMs: 30_000 },
  },
  /** Problem reports per user who is not an operator. */
  problemReports: { burst: 10, perSecond: 0.002 },
  /** Test emails per user. */
  testMails: { burst: 20, perSecond: 0.2 },
  /** Password reset links requested per address. */
  forgottenPasswords: { burst: 10, perSecond: 0.02 },
  /** Pending passkey challenges for sign-in, per address, on all servers together. */
  passkeyChallenges: { waiting: 400 },
  /** Directory connection tests per user. */
  testDirectories: { burst: 20, perSecond: 0.2 },
  audit: {
    /** Characters kept per text; longer texts are truncated. */
    name: 255,
    path: 255,
    message: 1024,
    /** Changed fields listed per entry, and characters of their names and of each value. */
    changes: 50,
    changedField: 64,
    change: 255,
    /** Entries for failures of anonymous callers: per address and in total. The log has all of them. */
    anonymousOfAddress: { burst: 60, perSecond: 0.1 },
    anonymous: { burst: 500, perSecond: 2 },
    /** Entries removed per statement. */
    pruneAtOnce: 1000,
  },
}

/** Tests inject other values. */
export type Limits = typeof limits

/** The limits with another token rate, in requests per second. Address rates are scaled in proportion. */
export function limitsAt(callsPerSecond: number): Limits {
  const factor = callsPerSecond / limits.rates.token.perSecond
  const scaled = ({ burst, perSecond }: Rate): Rate => ({ burst: burst * factor, perSecond: perSecond * factor })
  const { address, token } = limits.rates
  return { ...limits, rates: { address: scaled(address), token: scaled(token) } }
}

/** A burst, then a steady rate. */
export interface Rate {
  burst: number
  perSecond: number
}
