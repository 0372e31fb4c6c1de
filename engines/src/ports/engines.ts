import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Area } from './area-ports'

/** What an engine's own tables need of a database: PostgreSQL with `$1` parameters. The server lends it. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** All statements of `work` happen, or none. */
  transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
}

/** A cloud to be an engine's, as the configuration names it. */
export interface CloudChoice {
  /** An entry of a `clouds.yaml`; null: what the variables say. */
  name: string | null
  /** `OS_*`, as the cloud's own command-line client reads them. */
  variables: Readonly<Record<string, string>>
  /** Message bus on which the cloud announces changes; null: it is asked again and again. */
  notificationsUrl: string | null
  /** Where browsers find the cloud's sign-in page; null: where the cloud itself says that it is. */
  webssoUrl: string | null
  /** Where the server was started, and the home folder of who started it: files of clouds are looked for there. */
  folder: string
  home: string
}

/** A Ceph Object Gateway (RGW) to be an engine's, as the configuration names it. */
export interface RgwChoice {
  /** Where S3 and admin operations are called; without slashes at the end. */
  endpoint: string
  adminEndpoint: string
  accessKey: string
  secretKey: string
  region: string
  /** A file of authorities, PEM; null: those that everybody trusts. */
  caFile: string | null
}

/**
 * What was found when a cloud was looked at. `note`: good to know; `lacking`: parts will not work; `unreachable`:
 * perhaps later; `wrong`: the configuration itself, so that nothing would work.
 */
export interface CloudFinding {
  level: 'good' | 'note' | 'lacking' | 'unreachable' | 'wrong'
  what: string
  /** What to do about it. */
  advice: string | null
}

/** What was chosen cannot be: each line says where it is written and what is wrong with it. */
export class EngineChoiceError extends Error {
  readonly lines: string[]
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'EngineChoiceError'
    this.lines = lines
  }
}

/** Which engines there are, and how they are set up. */
export interface EngineSettings {
  /** Whether this machine is an engine. */
  embedded: boolean
  /** The cloud that is an engine; null: there is none. */
  cloud: CloudChoice | null
  /** Who serves an area, where several could: the source of an engine, its first word, or `none`. */
  areas: Readonly<Partial<Record<Area, string>>>
  /** Where this machine serves S3; null: it does not. Port 0 picks a free one. `kmsKeys`: names of keys for SSE-KMS. */
  s3: {
    host: string
    port: number
    signatureV2: boolean
    kmsKeys: readonly string[]
    /**
     * Names of hosts. Labels before one of `domains` are a bucket; under `ownDomains` there is no page of the console; `serverNames` are
     * the other names of this server.
     */
    names: { domains: readonly string[]; ownDomains: readonly string[]; serverNames: readonly string[] }
    /** Refuses the connections to a server that are too many, of one address or in all. */
    limitConnections(server: HttpServer | HttpsServer): void
    /** A client that neither sends nor takes anything for so long is cut off. */
    idleMs: number
    /** Counts a request of an address. Answers 0, or in how many seconds it may ask again. */
    takeRequest(address: string): number
    /** From where a request comes, also through a proxy in front. */
    sourceOf(request: IncomingMessage): { address: string; isSecure: boolean }
  } | null
  /** The gateway that serves S3; null: there is none. */
  rgw: RgwChoice | null
  hypervisor: 'qemu' | 'simulated'
  world: 'empty' | 'demo' | 'busy' | 'degraded'
  /** Where the engines keep their files. */
  folder: string
  /** For the first administrator; generated where null. */
  adminPassword: string | null
  /** Called at once for everybody whom the very first start made: a password that was generated is kept nowhere. */
  onFirstStart(made: FirstStart): void
  /** Cheaper passwords for tests. */
  passwordCost?: { memoryKiB: number; passes: number }
  /** A disk image to try things with, made by a script where it is not there; null: none is offered. */
  tryOutGuest?: { image: string; script: string; onOutcome?: (failure: string | null) => void } | null
  /** How long simulated machines take, milliseconds. */
  delays?: { start?: number; shutdown?: number; suspend?: number; quick?: number; copy?: number }
  /** How many times as quick as usual a cloud is followed, for tests. */
  pace?: number
}

/** Somebody whom the very first start made. `password` is the generated one, null when it was given; it is kept nowhere. */
export interface FirstStart {
  username: string
  /** What they are, where that is not the administrator of everything. */
  role?: string
  password: string | null
}
