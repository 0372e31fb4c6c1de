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
 * Saved memory is a QEMU migration to a file. QEMU 7.2 cannot write to a file itself, and the sandbox forbids helper
 * processes, so it writes to a socket of the server. To restore the memory, QEMU inherits the open file at startup.
 */

// Enough for a guest of 64 GiB on a slow disk.
const migrationWithinMs = 20 * 60_000

/** Pauses the guest and saves its memory. `memory` exists only once it is complete and synced. */
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

/** Makes a waiting process load the memory from the file that it inherited. */
export async function loadMemory(qmp: Qmp): Promise<void> {
  await prepareMigration(qmp)
  const ended = migrationEnd(qmp)
  await qmp.execute('migrate-incoming', { uri: `fd:${memoryFileDescriptor}` })
  await ended
}

/**
 * Deletes saved memory before the guest continues, because the memory would not match the disks after a power failure.
 */
export async function forgetMemory(memory: string): Promise<void> {
  await rm(memory)
  await flush(dirname(memory))
}

/**
 * Cancels a save, or discards a completed one if the machine is still running. The guest continues in its previous
 * state.
 */
export async function abandonSave(qmp: Qmp, memory: string, from: 'running' | 'paused'): Promise<void> {
  await rm(memory, { force: true })
  await qmp.execute('migrate_cancel')
  if (from === 'running') await qmp.execute('cont')
}

async function prepareMigration(qmp: Qmp): Promise<void> {
  await qmp.execute('migrate-set-capabilities', { capabilities: [{ capability: 'events', state: true }] })
  // The default bandwidth limit is meant for busy networks.
  await qmp.execute('migrate-set-parameters', { 'max-bandwidth': 2 ** 40 })
}

/** Must be called before the migration starts, so that no event is missed. */
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
  // If starting the migration fails, the promise is never awaited.
  end.catch(() => undefined)
  return end
}

/**
 * Rejects with the promise, and never resolves. Used to report a full disk even though QEMU only sees a closed socket,
 * and vice versa.
 */
const rejectionOf = (promise: Promise<unknown>) => promise.then(() => new Promise<never>(() => undefined))
