import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { englishText } from '@mainstay/contract/core/english'
import { checkCloud, describeCloud, planEngines, resetAdministrator, secretsOfCloud } from '@mainstay/engines/compose'
import { openCeph } from '@mainstay/engines/ceph/ceph'
import { realHosts } from '@mainstay/engines/hosts/hosts'
import { listenFault } from '@mainstay/engines/host/listen-fault'
import {
  EngineChoiceError,
  type CloudFinding,
  type EngineSettings,
  type FirstStart,
} from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import type { FastifyInstance } from 'fastify'
import { installCommand, missingPackages } from '../../tools/system-packages.mjs'
import { createApp } from './app'
import { restoreBackup } from './areas/infrastructure/management-backup/restore'
import { parseCliArgs, type CliOptions } from './command-line/args'
import { dataFolderFault } from './command-line/data-folder'
import { readyLines } from './command-line/ready'
import { resetAdmin } from './command-line/reset-admin'
import { askForKey } from './command-line/restore'
import { rightsOfRoot } from './command-line/root-rights'
import { verdictOf, verifyAudit } from './command-line/verify-audit'
import { ConfigError, readConfig, type Config } from './config'
import { engineSettings } from './engines/settings'
import { createLog, toDescriptor } from './log'
import { openLogFile, type LogFile } from './log-file'
import { nodeAdvice, nodeSupport } from './metrics/node-support'
import { openTools } from './open-tools'
import { createRecentLog } from './reports/recent-log'
import { commonPasswordFault } from './session/passwords/common-passwords'
import { printableConfig } from './shown-config'
import { unknownVariables } from './unknown-variables'
import { versionOf } from './version'

/** How long requests in progress may continue after a stop request. */
const FINISH_WITHIN_MS = 5_000
/** How long the start waits for the check of the cloud. */
const LOOK_WITHIN_MS = 12_000
/** How many bytes of earlier logs to include in problem reports. */
const EARLIER_LOG_BYTES = 1024 * 1024

const beside = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
/** File and build script of the sample image; null if the hypervisor is simulated or no sample image is wanted. */
function sampleImageOf({ sampleImage, hypervisor }: Config): NonNullable<EngineSettings['sampleImage']> | null {
  if (hypervisor === 'simulated' || sampleImage === 'none') return null
  const image = sampleImage === null ? beside('.cache/guest/tiny.qcow2') : path.resolve(sampleImage)
  return { image, script: beside('tools/guest-image/build.sh'), onOutcome: tellOfSampleImage }
}

/** The guest that reads the files of recovery points, built when it is first needed; null if the hypervisor is simulated. */
function fileReaderOf({ hypervisor }: Config): NonNullable<EngineSettings['fileReader']> | null {
  if (hypervisor === 'simulated') return null
  return { image: beside('.cache/guest/file-reader'), script: beside('tools/file-reader/build.sh') }
}

const ready = deferred<void>()

/** Reports the result of the background build, but only after the terminal has shown the addresses. */
function tellOfSampleImage(failure: string | null): void {
  const outcome =
    failure === null
      ? 'is available: a small Linux system for a first virtual machine'
      : `could not be created: ${failure}`
  void ready.promise.then(() => say(`  The image “Sample image” ${outcome}\n`))
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const failStart = (lines: string[], code: number): never => {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(code)
}

/** Returns the result of `work`. Prints the errors and exits if the configuration is invalid. */
function orExit<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError || error instanceof EngineChoiceError)
      return failStart(['Invalid configuration:', ...error.lines.map((it) => `  ${it}`)], 2)
    throw error
  }
}

function wordsOrExit(): CliOptions {
  const words = parseCliArgs(process.argv.slice(2))
  return 'fault' in words ? failStart([words.fault], 2) : words
}

/** The configured password for the first administrator must follow the same rules as any other password. */
async function refuseCommonPassword({ adminPassword }: Config): Promise<void> {
  const fault = adminPassword === null ? null : await commonPasswordFault(adminPassword, ['admin'])
  if (fault !== null)
    failStart(['Invalid configuration:', `  MAINSTAY_ADMIN_PASSWORD is too weak. ${englishText(fault)}`], 2)
}

const lineOf = ({ level, what, advice }: CloudFinding): string =>
  `  ${level.padEnd(12)} ${what}${advice === null ? '' : `\n${' '.repeat(15)}→ ${advice}`}`

/** Checks the cloud, prints the findings, and exits with 0 if there are no problems. */
async function checkAndExit(cloud: Config['cloud'], log: Log): Promise<never> {
  if (!cloud) return failStart(['There is no cloud to check. Choose one with --cloud NAME or MAINSTAY_CLOUD.'], 2)
  const findings = await checkCloud(cloud, log)
  say(findings.map(lineOf).join('\n'))
  const isWhole = findings.every(({ level }) => level === 'good' || level === 'note')
  say(isWhole ? '\n  No problems found.' : '\n  Problems found, see above.')
  process.exit(isWhole ? 0 : 1)
}

/**
 * Checks the cloud at startup. Temporary failures are logged; an invalid configuration aborts startup. An unresponsive
 * cloud does not block startup.
 */
async function lookAtCloud(cloud: NonNullable<Config['cloud']>, log: Log): Promise<void> {
  const looked = checkCloud(cloud, log).then((findings) => {
    for (const { level, what, advice } of findings)
      if (level !== 'good') log[level === 'note' ? 'info' : 'warn']({ finding: level, advice }, what)
    return findings.filter(({ level }) => level === 'wrong')
  })
  looked.catch((err: unknown) => log.error({ err }, 'failed to check the cloud'))
  const wrong = await Promise.race([looked, pause(LOOK_WITHIN_MS, [], { ref: false })])
  if (wrong.length > 0) failStart(['The cloud cannot be used with this configuration:', ...wrong.map(lineOf)], 2)
}

/**
 * Prints the first administrator. Called as soon as it is created, because a generated password cannot be shown again
 * if a later step of the start fails.
 */
function introduce({ username, password, role }: FirstStart): void {
  say('')
  say(`  user             ${username}${role === undefined ? '' : ` (${role})`}`)
  say(`  password         ${password ?? 'from MAINSTAY_ADMIN_PASSWORD'}`)
  if (password) say('  The password is shown only once. Save it, or change it after you sign in.')
}

async function resetAndExit(config: Config, identity: string | null, log: Log): Promise<never> {
  const { username, password, sessionsEnded } = await resetAdmin({ config, identity, log, reset: resetAdministrator })
  say('')
  say(`  user             ${username}`)
  say(`  password         ${password ?? 'from MAINSTAY_ADMIN_PASSWORD'}`)
  if (password) say('  The password is shown only once. Save it, or change it after you sign in.')
  say(`  Waiting times after failed sign-ins are cleared. ${sessionsEnded} sessions of ${username} were ended.`)
  process.exit(0)
}

async function restoreAndExit(config: Config, file: string, log: Log): Promise<never> {
  const { created_at, version } = await restoreBackup({ config, file, identity: await askForKey(), log })
  say(`\n  The backup of ${created_at} is restored (version ${version}). Start the server, and sign in as before.`)
  process.exit(0)
}

/** Verifies the audit log, and exits with 0 if it is intact. */
async function verifyAndExit(config: Config, log: Log): Promise<never> {
  const found = await verifyAudit(config, log)
  say(verdictOf(found).join('\n'))
  process.exit(found.fault === null ? 0 : 1)
}

async function listen(app: FastifyInstance, host: string, port: number, variable: string): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw listenFault(error, { host, port, variable }) ?? error
  }
  return (app.server.address() as AddressInfo).port
}

/**
 * Opens the log file if the server runs in a terminal, so that the terminal shows only a summary. Null: the log goes to
 * standard output, or to standard error for a command.
 */
function openLogOf({ dataFolder }: Config, { isCommand }: { isCommand: boolean }): LogFile | null {
  const fault = dataFolderFault(dataFolder)
  if (fault !== null) failStart([fault], 2)
  return isCommand || !process.stdout.isTTY ? null : openLogFile(path.join(dataFolder, 'logs'))
}

async function run(): Promise<void> {
  const started = performance.now()
  const words = wordsOrExit()
  const environment = words.cloud === null ? process.env : { ...process.env, MAINSTAY_CLOUD: words.cloud }
  const config = orExit(() => readConfig(environment))
  const { cloud } = config
  const cloudSettings = cloud && orExit(() => describeCloud(cloud))
  const plan = orExit(() =>
    planEngines({
      ...engineSettings(config),
      sampleImage: sampleImageOf(config),
      fileReader: fileReaderOf(config),
      onFirstStart: introduce,
    }),
  )
  if (words.printConfig) {
    say(printableConfig(config, cloudSettings, plan.areas))
    return
  }
  await refuseCommonPassword(config)
  if (words.check) await checkAndExit(cloud, createLog(config.logLevel, toDescriptor(2)))
  const isCommand = words.resetAdmin || words.verifyAudit || words.restore !== null
  const recentLog = createRecentLog()
  const logFile = openLogOf(config, { isCommand })
  for (const line of logFile?.earlier(EARLIER_LOG_BYTES) ?? []) recentLog.write(line)
  // a command logs to standard error, because programs may parse its output
  const log = createLog(config.logLevel, logFile ?? toDescriptor(isCommand ? 2 : 1), recentLog)
  for (const warning of unknownVariables(process.env)) {
    log.warn({}, warning)
    if (logFile) say(`  ${warning}`)
  }
  if (words.resetAdmin) await resetAndExit(config, plan.areas.identity, log)
  if (words.verifyAudit) await verifyAndExit(config, log)
  if (words.restore !== null) await restoreAndExit(config, words.restore, log)
  const consoleFolder = config.consoleFolder ?? fileURLToPath(new URL('../../console/dist', import.meta.url))
  const version = versionOf(consoleFolder)

  // a stop request during startup waits for startup to finish, so that the database and the lease are closed in order
  const starting = deferred<() => Promise<void>>()
  const stop = (code: number): void => {
    starting.promise
      .then((shutDown) => shutDown())
      .then(
        () => process.exit(code),
        (err: unknown) => {
          log.error({ err }, 'the server did not shut down cleanly')
          process.exit(1)
        },
      )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      log.info({ signal }, 'stopping')
      stop(0)
    })
  const onEngineLost = () => {
    log.error({}, 'another server has taken over the engine of this database; stopping, virtual machines keep running')
    stop(1)
  }

  if (cloud) await lookAtCloud(cloud, log)
  const ceph = config.ceph && openCeph(config.ceph)
  const { tools, close } = await openTools({
    hosts: realHosts({ log, dataFolder: config.dataFolder }),
    ceph,
    config,
    log,
    version,
    plan,
    recentLog,
    cloud: cloud && cloudSettings && { shown: cloudSettings, secrets: secretsOfCloud(cloud) },
    onEngineLost,
  })
  const tls = tools.certificate.pair()
  const app = createApp(tools, { ...config, tls, consoleFolder })
  const shutDown = closer(async () => {
    const finished = Promise.all([app.selfService.close(), app.admin.close(), app.closeSockets()])
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, FINISH_WITHIN_MS))])
    for (const { server } of [app.selfService, app.admin]) server.closeAllConnections()
    await close()
    await ceph?.close()
  })
  starting.resolve(shutDown)
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled internal error'))

  try {
    const scheme = tls ? 'https' : 'http'
    const shown = config.host.includes(':') ? `[${config.host}]` : config.host
    const port = await listen(app.selfService, config.host, config.port, 'MAINSTAY_PORT')
    const adminPort = await listen(app.admin, config.host, config.adminPort, 'MAINSTAY_ADMIN_PORT')
    const { engines, areas } = tools
    const { advice: noMachines, engine } = areas.compute
    const s3 = areas['object-storage'].engine ? await tools.ports['object-storage'].service() : null
    // virtual machines of a cloud require no packages on this host
    const missing = missingPackages(config.embedded && config.hypervisor === 'qemu' ? 'run' : 'manage')
    const lines = readyLines({
      version: version.version,
      seconds: (performance.now() - started) / 1000,
      addresses: {
        selfService: `${scheme}://${shown}:${port}`,
        administration: `${scheme}://${shown}:${adminPort}`,
        objectStorage: s3?.endpoint ?? null,
      },
      clouds: engines.filter(({ feed }) => feed).map(({ about }) => about.hypervisor),
      logFile: logFile?.path ?? null,
      rights: rightsOfRoot(),
      compute: engine && { accelerator: engine.about.accelerator, isSimulated: engine.about.simulated },
      noMachines,
      problems: engines.flatMap((each) => each.problems?.() ?? []),
      missing,
      install: installCommand(missing),
      advice: [
        nodeAdvice(nodeSupport()),
        existsSync(consoleFolder)
          ? null
          : 'The web console is not built; npm start builds it. The API works without it.',
      ],
    })
    for (const line of lines) say(line)
    ready.resolve()
  } catch (error) {
    await shutDown()
    throw error
  }
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>((done) => (resolve = done))
  return { promise, resolve }
}

/** Returns a function that runs `work` only once, no matter how often it is called. */
function closer(work: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= work())
}

run().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  failStart([`Mainstay could not start: ${message}`], 1)
})
