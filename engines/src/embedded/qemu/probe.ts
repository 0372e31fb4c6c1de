import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ServiceUser } from '../../host/service-users'
import type { HypervisorMissing } from '../hypervisor'
import { fileNames, hyperVFeatures, processorModel, sandboxOption, type EmulatorChoice } from './devices/arguments'
import { mayUseKvm, type Confinement } from './confinement/confinement'
import { connectWhenReady } from './machines/launch'
import { bootId, isGoneWithin, kill, pause, spawnDetached } from '../../host/processes'
import { lastWords } from '../../host/reasons'
import type { Log } from '../../ports/records'

export interface Programs {
  emulator: string
  imageTool: string
}

export interface Found {
  version: string
  choice: EmulatorChoice
}

const run = promisify(execFile)
const packageOf = { emulator: 'qemu-system-x86', imageTool: 'qemu-utils', prlimit: 'util-linux' }
const oldestVersion = 7

interface Given {
  folder: string
  shortFolder: string
  programs: Programs
  confinement: Confinement
  user: ServiceUser | null
  log: Log
}

/**
 * Checks the installed programs and which accelerator can actually run a guest. The accelerator is cached until the
 * host restarts.
 */
export async function probe(given: Given): Promise<Found | HypervisorMissing> {
  const { folder, programs, user } = given
  const version = await versionOf(programs.emulator)
  const missing = [
    ...(version ? [] : [packageOf.emulator]),
    ...((await versionOf(programs.imageTool)) ? [] : [packageOf.imageTool]),
    ...((await versionOf('prlimit')) ? [] : [packageOf.prlimit]),
  ]
  if (!version || missing.length) return { missing, advice: `Install ${missing.join(' and ')}` }
  if (Number.parseInt(version) < oldestVersion) {
    return {
      missing: [packageOf.emulator],
      advice: `QEMU ${version} is too old; install QEMU ${oldestVersion} or newer`,
    }
  }
  const tried = await cached(
    join(folder, 'probe.json'),
    [bootId(), version, programs.emulator, await mayUseKvm(user), user?.name, 'hyperV'].join(' '),
    () => firstThatRuns(given),
  )
  if (!tried) {
    return {
      missing: [packageOf.emulator],
      advice: 'QEMU is installed but cannot start a virtual machine; see the server log',
    }
  }
  return { version, choice: { ...tried, machineType: await newestMachineType(programs.emulator), uefi: findUefi() } }
}

type Tried = Pick<EmulatorChoice, 'accelerator' | 'sandbox' | 'hyperV'>

async function cached(path: string, key: string, find: () => Promise<Tried | null>): Promise<Tried | null> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8')) as { key: string; tried: Tried }
    if (kept.key === key) return kept.tried
  } catch {
    // The file is missing or incomplete.
  }
  const tried = await find()
  if (tried) await writeFile(path, JSON.stringify({ key, tried }), { mode: 0o600 })
  return tried
}

async function firstThatRuns(given: Given): Promise<Tried | null> {
  const { log, user } = given
  const accelerators = (await mayUseKvm(user)) ? (['kvm', 'tcg'] as const) : (['tcg'] as const)
  for (const accelerator of accelerators) {
    for (const sandbox of [true, false]) {
      const isSandbox = (trouble: string) => /sandbox|seccomp/i.test(trouble)
      const plain = { accelerator, sandbox, hyperV: false }
      let trouble = await tryGuest(given, plain)
      // retry once, because a busy host may time out and the result is cached until the host restarts
      if (trouble !== null && !isSandbox(trouble)) trouble = await tryGuest(given, plain)
      if (trouble === null) {
        const hyperV = accelerator === 'kvm' && (await tryGuest(given, { ...plain, hyperV: true })) === null
        log.info({ accelerator, sandbox, hyperV }, 'the probe guest ran')
        return { accelerator, sandbox, hyperV }
      }
      log.warn({ accelerator, sandbox, trouble }, 'the probe guest did not run')
      if (!isSandbox(trouble)) break
    }
  }
  return null
}

const word = 'mainstay-guest-runs'

/**
 * Returns a boot sector that writes `word` to QEMU's debug port, which proves that the guest has passed its BIOS and is
 * running.
 */
function bootSector(): Buffer {
  const sector = Buffer.alloc(512)
  // xor ax,ax; mov ds,ax; mov si,0x7c16; mov dx,0x402; cld; next: lodsb; test al,al; jz end; out dx,al; jmp next; end: hlt; jmp end
  Buffer.from('31c08ed8be167cba0204fcac84c07403eeebf8f4ebfd', 'hex').copy(sector)
  sector.write(`${word}\0`, 22, 'latin1')
  sector.writeUInt16LE(0xaa55, 510)
  return sector
}

async function tryGuest(
  { folder, shortFolder, programs: { emulator }, confinement }: Given,
  { accelerator, sandbox, hyperV }: Tried,
): Promise<string | null> {
  const here = join(folder, 'probe')
  await rm(here, { recursive: true, force: true })
  await mkdir(here, { recursive: true, mode: 0o700 })
  // Large enough for any BIOS to accept it as a disk.
  await writeFile(join(here, 'disk'), Buffer.concat([bootSector(), Buffer.alloc(1024 * 1024 - 512)]))
  const errors = join(here, fileNames.errors)
  await confinement.own(join(here, 'disk'))
  await confinement.own(here)
  const cpu = [processorModel(accelerator), ...(hyperV ? hyperVFeatures : [])].join(',')
  const args = [
    ...['-machine', 'pc', '-accel', accelerator, '-cpu', cpu, '-m', '32M', '-S'],
    ...['-no-user-config', '-nodefaults', '-display', 'none', ...(sandbox ? sandboxOption : [])],
    ...['-qmp', `unix:qmp.sock,server=on,wait=off`],
    ...['-chardev', 'file,id=debug,path=debug', '-device', 'isa-debugcon,iobase=0x402,chardev=debug'],
    ...['-blockdev', 'driver=raw,node-name=disk,file.driver=file,file.filename=disk', '-device', 'ide-hd,drive=disk'],
  ]
  const { file, args: words } = confinement.command(emulator, args, here)
  const { process, exit } = await spawnDetached(file, words, { folder: here, errors, input: null })
  try {
    const qmp = await connectWhenReady(`${shortFolder}/probe/qmp.sock`, exit)
    if (accelerator === 'kvm') {
      const { enabled } = await qmp.execute<{ enabled: boolean }>('query-kvm')
      if (!enabled) return 'KVM is not enabled'
    }
    await qmp.execute('cont')
    for (const end = Date.now() + 20_000; !(await readFile(join(here, 'debug'), 'latin1')).includes(word);) {
      const { running, status } = await qmp.execute<{ running: boolean; status: string }>('query-status')
      if (!running) return `the guest stopped: ${status}`
      if (Date.now() > end) return 'the guest did not get as far as its disk'
      await pause(20)
    }
    return null
  } catch (error) {
    return (await lastWords(errors)) ?? String(error)
  } finally {
    kill(process, 'SIGKILL')
    await isGoneWithin(process, 5_000)
    await rm(here, { recursive: true, force: true })
  }
}

const versionTries = 3

/**
 * Returns the version of a program, or null if the program is missing. Retries, because an installed program may fail
 * on a busy host.
 */
async function versionOf(program: string): Promise<string | null> {
  for (let tries = versionTries; tries > 0; tries--) {
    try {
      const { stdout } = await run(program, ['--version'], { timeout: 20_000 })
      return /(\d+\.\d+(\.\d+)?)/.exec(stdout)?.[1] ?? null
    } catch (error) {
      if (['ENOENT', 'EACCES'].includes((error as { code: string }).code)) return null
    }
  }
  return null
}

/** Resolves the full name of the machine type `pc`, which is an alias for a different type in each release. */
async function newestMachineType(emulator: string): Promise<string> {
  const { stdout } = await run(emulator, ['-machine', 'help'], { timeout: 20_000 })
  return /^pc\s.*\(alias of (\S+?)\)/m.exec(stdout)?.[1] ?? 'pc'
}

/** Finds the UEFI firmware in the locations that distributions use. Newer distributions ship only the 4 MiB build. */
function findUefi(): EmulatorChoice['uefi'] {
  const pairs: [string, string][] = [
    ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_VARS_4M.fd'],
    ['/usr/share/OVMF/OVMF_CODE.fd', '/usr/share/OVMF/OVMF_VARS.fd'],
    ['/usr/share/edk2/ovmf/OVMF_CODE.fd', '/usr/share/edk2/ovmf/OVMF_VARS.fd'],
    ['/usr/share/edk2/x64/OVMF_CODE.4m.fd', '/usr/share/edk2/x64/OVMF_VARS.4m.fd'],
  ]
  const found = pairs.find((pair) => pair.every((path) => existsSync(path)))
  return found ? { code: found[0], variables: found[1] } : null
}
