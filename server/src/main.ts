import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkCloud, describeCloud, planEngines, resetAdministrator, secretsOfCloud } from '@mainstay/engines/compose'
import { listenFault } from '@mainstay/engines/host/listen-fault'
import { EngineChoiceError, type CloudFinding, type FirstStart } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app'
import { ConfigError, readConfig, type Config } from './config'
import { engineSettings } from './engines/settings'
import { createLog } from './log'
import { nodeAdvice, nodeSupport } from './metrics/node-support'
import { openTools } from './open-tools'
import { rightsOfRoot } from './command-line/root-rights'
import { resetAdmin } from './command-line/reset-admin'
import { verdictOf, verifyAudit } from './command-line/verify-audit'
import { createRecentLog } from './reports/recent-log'
import { commonPasswordFault } from './session/passwords/common-passwords'
import { printableConfig } from './shown-config'
import { versionOf } from './version'
import { parseCliArgs, type CliOptions } from './command-line/args'

/** Requests that are being answered may go on this long after the server was told to stop. */
const FINISH_WITHIN_MS = 5_000
/** The start waits no longer to hear whether the cloud can be used as it is configured. */
const LOOK_WITHIN_MS = 12_000

/** The guest to try things with: where its image is, and what makes it. A machine that only pretends gets none. */
function tryOutGuestOf({ tryOutGuest, hypervisor }: Config): { image: string; script: string } | null {
  if (hypervisor === 'simulated' || tryOutGuest === 'none') return null
  const beside = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
  const image = tryOutGuest === null ? beside('.cache/guest/tiny.qcow2') : path.resolve(tryOutGuest)
  return { image, script: beside('tools/guest-image/build.sh') }
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const failStart = (lines: string[], code: number): never => {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(code)
}

/** What `work` answers; ends the program where the configuration cannot be used. */
function orExit<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError || error instanceof EngineChoiceError)
      return failStart(['The configuration cannot be used:', ...error.lines.map((it) => `  ${it}`)], 2)
    throw error
  }
}

function wordsOrExit(): CliOptions {
  const words = parseCliArgs(process.argv.slice(2))
  return 'fault' in words ? failStart([words.fault], 2) : words
}

/** The first administrator's password is set by whoever starts the server: it obeys the same rules as every other. */
async function refuseCommonPassword({ adminPassword }: Config): Promise<void> {
  const fault = adminPassword === null ? null : await commonPasswordFault(adminPassword, ['admin'])
  if (fault !== null)
    failStart(['The configuration cannot be used:', `  MAINSTAY_ADMIN_PASSWORD is too weak. ${fault}`], 2)
}

const lineOf = ({ level, what, advice }: CloudFinding): string =>
  `  ${level.padEnd(12)} ${what}${advice === null ? '' : `\n${' '.repeat(15)}→ ${advice}`}`

/** Looks at the cloud, says everything about it, and ends the program: with 0 where nothing is missing. */
async function checkAndExit(cloud: Config['cloud'], log: Log): Promise<never> {
  if (!cloud) return failStart(['There is no cloud to check: name one with --cloud NAME or MAINSTAY_CLOUD'], 2)
  const findings = await checkCloud(cloud, log)
  say(findings.map(lineOf).join('\n'))
  const isWhole = findings.every(({ level }) => level === 'good' || level === 'note')
  say(isWhole ? '\n  Nothing is missing.' : '\n  Something is missing, see above.')
  process.exit(isWhole ? 0 : 1)
}

/**
 * At the start: what is missing now is told and does not stop it, a configuration that cannot be right does. A cloud
 * that hangs is not waited for.
 */
async function lookAtCloud(cloud: NonNullable<Config['cloud']>, log: Log): Promise<void> {
  const looked = checkCloud(cloud, log).then((findings) => {
    for (const { level, what, advice } of findings)
      if (level !== 'good') log[level === 'note' ? 'info' : 'warn']({ finding: level, advice }, what)
    return findings.filter(({ level }) => level === 'wrong')
  })
  looked.catch((err: unknown) => log.error({ err }, 'the cloud could not be looked at'))
  const wrong = await Promise.race([looked, pause(LOOK_WITHIN_MS, [], { ref: false })])
  if (wrong.length > 0) failStart(['The cloud cannot be used as it is configured:', ...wrong.map(lineOf)], 2)
}

/** Said at once, before anything else can fail: a password that was generated is kept nowhere. */
function introduce({ username, password, role }: FirstStart): void {
  say('')
  say(`  user             ${username}${role === undefined ? '' : ` (${role})`}`)
  say(`  password         ${password ?? 'that of MAINSTAY_ADMIN_PASSWORD'}`)
  if (password) say('  It is shown this once. Keep it, or change it after signing in.')
}

async function resetAndExit(config: Config, identity: string | null, log: Log): Promise<never> {
  const { username, password, sessionsEnded } = await resetAdmin({ config, identity, log, reset: resetAdministrator })
  say('')
  say(`  user             ${username}`)
  say(`  password         ${password ?? 'that of MAINSTAY_ADMIN_PASSWORD'}`)
  if (password) say('  It is shown this once. Keep it, or change it after signing in.')
  say(`  Nobody has to wait for failed sign-ins; ${sessionsEnded} sessions of ${username} have ended.`)
  process.exit(0)
}

/** Ends the program: with 0 where every line of the audit log is as it was sealed. */
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

const inFrontOf = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`

async function run(): Promise<void> {
  const started = performance.now()
  const words = wordsOrExit()
  const environment = words.cloud === null ? process.env : { ...process.env, MAINSTAY_CLOUD: words.cloud }
  const config = orExit(() => readConfig(environment))
  const { cloud } = config
  const cloudSettings = cloud && orExit(() => describeCloud(cloud))
  const plan = orExit(() =>
    planEngines({ ...engineSettings(config), tryOutGuest: tryOutGuestOf(config), onFirstStart: introduce }),
  )
  if (words.printConfig) {
    say(printableConfig(config, cloudSettings, plan.areas))
    return
  }
  await refuseCommonPassword(config)
  const recentLog = createRecentLog()
  const log = createLog(config.logLevel, undefined, recentLog)
  if (words.check) await checkAndExit(cloud, log)
  if (words.resetAdmin) await resetAndExit(config, plan.areas.identity, log)
  if (words.verifyAudit) await verifyAndExit(config, log)
  const consoleFolder = config.consoleFolder ?? fileURLToPath(new URL('../../console/dist', import.meta.url))
  const version = versionOf(consoleFolder)

  // told to stop before it has started: what was begun (a database, a lease) is ended in order as well
  const starting = deferred<() => Promise<void>>()
  const stop = (code: number): void => {
    starting.promise
      .then((shutDown) => shutDown())
      .then(
        () => process.exit(code),
        (err: unknown) => {
          log.error({ err }, 'the server did not stop in order')
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
    log.error({}, 'another server has become the engine of this database; this one stops, its machines run on')
    stop(1)
  }

  if (cloud) await lookAtCloud(cloud, log)
  const { tools, close } = await openTools({
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
  })
  starting.resolve(shutDown)
  process.on('unhandledRejection', (err) => log.error({ err }, 'a fault of ours that nobody waited for'))

  try {
    const scheme = tls ? 'https' : 'http'
    const shown = config.host.includes(':') ? `[${config.host}]` : config.host
    const port = await listen(app.selfService, config.host, config.port, 'MAINSTAY_PORT')
    const adminPort = await listen(app.admin, config.host, config.adminPort, 'MAINSTAY_ADMIN_PORT')
    say('')
    say(`  Mainstay ${version.version} is ready after ${inFrontOf(started)}`)
    say('')
    say(`  self-service     ${scheme}://${shown}:${port}`)
    say(`  administration   ${scheme}://${shown}:${adminPort}`)
    if (tools.areas['object-storage'].engine) {
      const { endpoint } = await tools.ports['object-storage'].service()
      if (endpoint !== null) say(`  object storage   ${endpoint}`)
    }
    const { engines } = tools
    for (const { about } of engines.filter(({ feed }) => feed)) say(`  cloud            ${about.hypervisor}`)
    for (const line of rightsOfRoot()) say(`  ${line}`)
    const { advice: noMachines } = tools.areas.compute
    if (noMachines !== null) say(`\n  No virtual machines here: ${noMachines}`)
    for (const problem of engines.flatMap((engine) => engine.problems?.() ?? [])) say(`\n  ${problem}`)
    if (tools.areas.compute.engine?.about.simulated)
      say('\n  The hypervisor is simulated: its virtual machines only pretend.')
    const advice = nodeAdvice(nodeSupport())
    if (advice) say(`\n  ${advice}`)
    if (!existsSync(consoleFolder)) say('\n  The console is not built; the API works without it.')
    say('')
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

/** A way to stop that works once, however often it is asked for. */
function closer(work: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= work())
}

run().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  failStart([`Mainstay could not start: ${message}`], 1)
})
