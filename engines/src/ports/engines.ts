import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Area } from './area-ports'

/** Access to the database tables of an engine: PostgreSQL with `$1` parameters, provided by the server. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Commits all statements of `work`, or none. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
}

/** A configured cloud that acts as an engine. */
export interface CloudChoice {
  /** An entry of a `clouds.yaml`; null to use the variables. */
  name: string | null
  /** `OS_*` variables, in the form that the cloud's command-line client reads. */
  variables: Readonly<Record<string, string>>
  /** URL of the message bus on which the cloud announces changes; null to poll. */
  notificationsUrl: string | null
  /** URL of the cloud's sign-in page for browsers; null to use the URL that the cloud reports. */
  webssoUrl: string | null
  /** Working directory and home directory of the server process, searched for cloud configuration files. */
  folder: string
  home: string
}

/** A configured Ceph Object Gateway (RGW) that acts as an engine. */
export interface RgwChoice {
  /** Base URL of the S3 API, without a trailing slash. */
  endpoint: string
  adminEndpoint: string
  accessKey: string
  secretKey: string
  region: string
  /** Path of a CA bundle in PEM; null for the system CAs. */
  caFile: string | null
}

/**
 * A finding from a cloud check. `note`: for information only; `lacking`: some features will not work; `unreachable`: a
 * retry may succeed; `wrong`: the configuration is invalid, and nothing would work.
 */
export interface CloudFinding {
  level: 'good' | 'note' | 'lacking' | 'unreachable' | 'wrong'
  what: string
  /** How to fix it. */
  advice: string | null
}

/** The engine configuration is invalid. Each line names a setting and what is wrong with it. */
export class EngineChoiceError extends Error {
  readonly lines: string[]
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'EngineChoiceError'
    this.lines = lines
  }
}

/** The configured engines and their settings. */
export interface EngineSettings {
  /** Whether the embedded engine on this host is used. */
  embedded: boolean
  /** The cloud that acts as an engine; null if there is none. */
  cloud: CloudChoice | null
  /** The engine for each area that several engines could serve: its source, the first part of its source, or `none`. */
  areas: Readonly<Partial<Record<Area, string>>>
  /**
   * Settings for serving S3 on this host; null to disable it. Port 0 selects a free port. `kmsKeys` are the names of
   * keys for SSE-KMS.
   */
  s3: {
    host: string
    port: number
    signatureV2: boolean
    kmsKeys: readonly string[]
    /**
     * Host names. A label in front of one of `domains` is a bucket name; the console is not served under `ownDomains`;
     * `serverNames` are the other names of this server.
     */
    names: { domains: readonly string[]; ownDomains: readonly string[]; serverNames: readonly string[] }
    /** Limits the number of connections to a server, per address and in total. */
    limitConnections(server: HttpServer | HttpsServer): void
    /** Idle timeout of a connection, in milliseconds. */
    idleMs: number
    /**
     * Counts a request from an address. Returns 0 if it is allowed, or else the number of seconds to wait before a
     * retry.
     */
    takeRequest(address: string): number
    /** The original source of a request, even if it comes through a proxy. */
    sourceOf(request: IncomingMessage): { address: string; isSecure: boolean }
  } | null
  /** The gateway that serves S3; null if there is none. */
  rgw: RgwChoice | null
  hypervisor: 'qemu' | 'simulated'
  world: 'empty' | 'demo' | 'busy' | 'degraded'
  /** Data directory of the engines. */
  folder: string
  /** Password of the first administrator; generated if null. */
  adminPassword: string | null
  /** Called for each user created on the first start. Generated passwords are not stored anywhere else. */
  onFirstStart(made: FirstStart): void
  /** Cheaper password hashing for tests. */
  passwordCost?: { memoryKiB: number; passes: number }
  /**
   * The file of the sample image, and the script that builds it if it is missing; null for no sample image.
   */
  sampleImage?: { image: string; script: string; onOutcome?: (failure: string | null) => void } | null
  /** The guest that reads the files of recovery points, and the script that builds it if it is missing. */
  fileReader?: { image: string; script: string } | null
  /** Durations of simulated operations, in milliseconds. */
  delays?: { start?: number; shutdown?: number; suspend?: number; quick?: number; copy?: number; node?: number }
  /** Speeds up polling of a cloud by this factor, for tests. */
  pace?: number
}

/**
 * A user created on the first start. `password` is the generated password, which is not stored; null if the password
 * was given.
 */
export interface FirstStart {
  username: string
  /** The user's role; omitted for the system administrator. */
  role?: string
  password: string | null
}
