/**
 * Every limit of what comes over the network, in one place. People who use the console, and scripts that take turns,
 * stay far below all of them; docs/security.md shows the same numbers.
 */
export const limits = {
  body: {
    /** The most that a JSON body may have, bytes: from who is signed in, and from anybody. */
    signedInBytes: 1024 * 1024,
    publicBytes: 16 * 1024,
    /** A body has this long to begin with, and as long again as its bytes take at the slowest rate. */
    graceMs: 10_000,
    bytesPerSecond: 16 * 1024,
    /** Bodies that have not arrived as a whole, of one address and of all. */
    unfinishedOfAddress: 64,
    unfinishedInAll: 256,
    /** Faults of one body that are named; the answer says that there are more. */
    faults: 20,
  },
  connections: {
    /** Connections of one address, and of all. A proxy in front counts in all only. */
    ofAddress: 2048,
    inAll: 8192,
    /** A connection on which nobody asks anything is closed after this long. */
    idleMs: 72_000,
    /** The same on the port of S3, where also a call is given up whose client neither sends nor takes anything. */
    idleOfS3Ms: 60_000,
  },
  /** Requests: so many at once, and then so many a second. MAINSTAY_CALLS_PER_SECOND sets that of a token. */
  rates: {
    address: { burst: 6000, perSecond: 1500 },
    token: { burst: 2000, perSecond: 500 },
  },
  /**
   * Turns of a tenant (a project, or a user outside of one) and of all tenants: so many at once, so many that wait, and
   * how long at most. Tenants take turns, however much each of them asks for.
   */
  turns: {
    lists: { atOnceOfTenant: 3, atOnce: 8, waitingOfTenant: 200, waiting: 2000, waitMs: 30_000 },
    longLists: { atOnceOfTenant: 1, atOnce: 2, waitingOfTenant: 200, waiting: 1000, waitMs: 60_000 },
    commands: { atOnceOfTenant: 16, atOnce: 64, waitingOfTenant: 500, waiting: 4000, waitMs: 60_000 },
  },
  /** A list with more rows than this is a long one. */
  longListRows: 200,
  sockets: {
    /** Signed-in sockets of one user, and open consoles. */
    ofUser: 100,
    consolesOfUser: 32,
    /** Sign-ins on one socket, and of one user's sockets. */
    logins: { burst: 10, perSecond: 0.5 },
    loginsOfUser: { burst: 200, perSecond: 5 },
    /** Sign-ins of one socket that wait for the one before. */
    loginsWaiting: 3,
    /** A socket on which nobody has signed in is closed after this long. */
    loginWithinMs: 10_000,
  },
  /** Identity providers that one user has asked for a test. */
  testedProviders: { burst: 20, perSecond: 0.2 },
  /** Responses of SAML providers that browsers at one address have brought: each is as much work as some passwords. */
  samlResponses: { burst: 200, perSecond: 1 },
  /**
   * What anyone can send as a response of a SAML provider, before a signature is checked: opening and closing tags, and characters of
   * the part that the signature signs. 500 values of an attribute have 1 000 tags, and a `SignedInfo` has about 1 000 characters.
   */
  samlResponse: { tags: 2000, signedInfoCharacters: 8192 },
  /**
   * RSA keys that are generated for one user, and in turns: each takes about a second of a thread that passwords and files need as well.
   */
  rsaKeys: {
    ofUser: { burst: 5, perSecond: 0.1 },
    turns: { atOnceOfTenant: 1, atOnce: 1, waitingOfTenant: 4, waiting: 20, waitMs: 30_000 },
  },
  /** Problem reports of one user who is no operator. */
  problemReports: { burst: 10, perSecond: 0.002 },
  /** Test e-mails of one user. */
  testMails: { burst: 20, perSecond: 0.2 },
  /** Links for who has forgotten a password, asked for from one address. */
  forgottenPasswords: { burst: 10, perSecond: 0.02 },
  /** Challenges for passkeys of people who sign in that wait for their answer, from one address, on all servers together. */
  passkeyChallenges: { waiting: 400 },
  /** Tests of the connection to a directory, of one user. */
  testDirectories: { burst: 20, perSecond: 0.2 },
  audit: {
    /** Characters that are kept of each text; what is longer is cut. */
    name: 255,
    path: 255,
    message: 1024,
    /** Fields that a line names as changed, characters of their names and of each value. */
    changes: 50,
    changedField: 64,
    change: 255,
    /** Lines of failures of people who are not signed in: of one address, and of all. The log has every one. */
    anonymousOfAddress: { burst: 60, perSecond: 0.1 },
    anonymous: { burst: 500, perSecond: 2 },
    /** Lines that are removed in one statement. */
    pruneAtOnce: 1000,
  },
}

/** Specs inject others. */
export type Limits = typeof limits

/** The limits with another rate of a token, in requests a second, and the others in proportion. */
export function limitsAt(callsPerSecond: number): Limits {
  const factor = callsPerSecond / limits.rates.token.perSecond
  const scaled = ({ burst, perSecond }: Rate): Rate => ({ burst: burst * factor, perSecond: perSecond * factor })
  const { address, token } = limits.rates
  return { ...limits, rates: { address: scaled(address), token: scaled(token) } }
}

/** So many at once, and then so many a second. */
export interface Rate {
  burst: number
  perSecond: number
}
