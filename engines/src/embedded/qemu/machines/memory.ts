import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileNames, memoryFileDescriptor } from '../devices/arguments'
import { deferred } from '../deferred'
import { flush } from '../disks/flush'
import { QmpError, type Qmp } from '../qmp'

/*
 * Saved memory is a QEMU migration into a file. QEMU 7.2 cannot write a file itself, and its sandbox forbids a helper
 * process, so it sends to a socket of ours. To read, it gets the open file with its start.
 */

// A stopped guest of 64 GiB on a slow disk.
const migrationWithinMs = 20 * 60_000

/** Stops the guest and writes its memory; `memory` exists only once it is complete and on the disk. */
export async function saveMemory(
  qmp: Qmp,
  { listenOn, memory, own }: { listenOn: string; memory: string; own: (socket: string) => Promise<void> },
): Promise<void> {
  const part = `${memory}.part`
  await rm(listenOn, { force: true })
  const incoming = deferred<Socket>()
  const server = createServer((socket) => incoming.resolve(socket))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listenOn, resolve))
  try {
    await own(listenOn)
    await qmp.execute('stop')
    await prepareMigration(qmp)
    const ended = migrationEnd(qmp)
    await qmp.execute('migrate', { uri: `unix:${fileNames.memorySocket}` })
    const written = incoming.promise.then((socket) => pipeline(socket, createWriteStream(part, { mode: 0o600 })))
    await Promise.race([Promise.all([ended, written]), rejectionOf(ended), rejectionOf(written)])
    await flush(part)
    await rename(part, memory)
    await flush(dirname(memory))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    server.close()
    await rm(listenOn, { force: true })
  }
}

/** Lets a process that waits for memory read the file that it was started with. */
export async function loadMemory(qmp: Qmp): Promise<void> {
  await prepareMigration(qmp)
  const ended = migrationEnd(qmp)
  await qmp.execute('migrate-incoming', { uri: `fd:${memoryFileDescriptor}` })
  await ended
}

/** Before the guest runs on: memory that came back after a power cut would not fit the disks any more. */
export async function forgetMemory(memory: string): Promise<void> {
  await rm(memory)
  await flush(dirname(memory))
}

/** Breaks a save off, or forgets one that the machine was not ended after; the guest goes on where it ran before. */
export async function abandonSave(qmp: Qmp, memory: string, from: 'running' | 'paused'): Promise<void> {
  await rm(memory, { force: true })
  await qmp.execute('migrate_cancel')
  if (from === 'running') await qmp.execute('cont')
}

async function prepareMigration(qmp: Qmp): Promise<void> {
  await qmp.execute('migrate-set-capabilities', { capabilities: [{ capability: 'events', state: true }] })
  // The default is made for busy networks.
  await qmp.execute('migrate-set-parameters', { 'max-bandwidth': 2 ** 40 })
}

/** Listening starts at once, so call it before the migration is started. */
function migrationEnd(qmp: Qmp): Promise<void> {
  const end = qmp
    .nextEvent(
      ({ event, data }) =>
        event === 'MIGRATION' && ['completed', 'failed', 'cancelled'].includes(String(data['status'])),
      migrationWithinMs,
    )
    .then(({ data }) => {
      if (data['status'] !== 'completed') throw new QmpError('refused', 'The memory could not be transferred')
    })
  // The command that starts it may fail first; then nobody waits for this.
  end.catch(() => undefined)
  return end
}

/** Never resolves. A full disk must be heard of although QEMU only sees a closed socket, and the other way round. */
const rejectionOf = (promise: Promise<unknown>) => promise.then(() => new Promise<never>(() => undefined))
