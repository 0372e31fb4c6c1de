import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MOST_FILES_SESSIONS, type FilesSession } from '@mainstay/contract/storage/backup-files'
import { problem } from '@mainstay/contract/core/problems'
import { processesBelow } from '../../../../host/processes'
import type { Engine } from '../../../engine'
import { faultText } from '../../../faults'
import { ReaderFault, type FileReader } from '../../../file-reader'

/** A recovery point whose files are open to a user. */
export interface Session {
  id: string
  pointId: string
  userId: string
  projectId: string
  status: FilesSession['status']
  progress: number | null
  fault: string | null
  expiresAt: number
  /** Set once the session is ready. */
  reader: FileReader | null
  ending: AbortController
}

export type FileSessions = ReturnType<typeof openFileSessions>

const unreadable = () => problem('storage.file_system_unreadable')

/** Sessions of this server. They live in memory: when the server ends, so do their readers. */
export function openFileSessions({ hypervisor, files, limits, log, fileReader }: Engine) {
  const sessions = new Map<string, Session>()
  const timers = new Map<string, NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()

  /** Postpones the end of a session. */
  function use(session: Session): void {
    if (sessions.get(session.id) !== session) return
    session.expiresAt = Date.now() + limits.filesSessionMs
    clearTimeout(timers.get(session.id))
    const timer = setTimeout(() => end(session), limits.filesSessionMs)
    timer.unref()
    timers.set(session.id, timer)
  }

  function end(session: Session): void {
    sessions.delete(session.id)
    clearTimeout(timers.get(session.id))
    timers.delete(session.id)
    session.ending.abort(problem('storage.files_not_open'))
  }

  /** Ends the reader of a session, which stays until it expires, so that its user can see why. */
  function fail(session: Session, error: unknown): void {
    if (session.status === 'failed') return
    session.status = 'failed'
    session.fault = error instanceof ReaderFault ? unreadable().message : faultText(error)
    session.ending.abort(error)
  }

  const find = (userId: string, pointId: string): Session | undefined =>
    [...sessions.values()].find((one) => one.userId === userId && one.pointId === pointId)

  /** Runs the reader of a session in its folder, until the session ends. Resolves once the session is ready. */
  async function start(session: Session, fetched: readonly string[], sizeBytes: number): Promise<void> {
    const folder = files.reader(session.id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const clean = () => rm(folder, { recursive: true, force: true })
    try {
      const chain = fetched.map((_, index) => `chain-${index}.qcow2`)
      for (const [index, name] of chain.entries()) await rename(fetched[index]!, join(folder, name))
      session.reader = await hypervisor.fileReaders.open({
        ...{ folder, chain, sizeBytes, guest: fileReader, signal: session.ending.signal },
        limits: { startMs: limits.readerStartMs, requestMs: limits.readerRequestMs },
      })
    } catch (error) {
      await clean()
      throw error
    }
    const { reader } = session
    session.ending.signal.addEventListener('abort', () => void reader.close(), { once: true })
    if (session.ending.signal.aborted) void reader.close()
    const over = reader.ended.then(async () => {
      fail(session, new ReaderFault('unreadable'))
      await clean()
    })
    running.add(over)
    void over.finally(() => running.delete(over))
    session.status = 'ready'
    session.progress = null
    use(session)
  }

  return {
    find,
    use,
    fail,
    start,
    byId: (id: string): Session | undefined => sessions.get(id),
    end,
    /** Begins a session. Throws a `too_many_requests` problem if too many are open. */
    begin({ userId, pointId, projectId }: Pick<Session, 'userId' | 'pointId' | 'projectId'>): Session {
      const earlier = find(userId, pointId)
      if (earlier) end(earlier)
      const open = [...sessions.values()].filter(({ status }) => status !== 'failed')
      const own = open.filter((one) => one.projectId === projectId).length
      const most = own >= MOST_FILES_SESSIONS.project ? MOST_FILES_SESSIONS.project : MOST_FILES_SESSIONS.all
      if (open.length >= MOST_FILES_SESSIONS.all || own >= MOST_FILES_SESSIONS.project)
        throw problem('storage.files_too_many', { most, minutes: Math.ceil(limits.filesSessionMs / 60_000) })
      const session: Session = {
        ...{ id: randomUUID(), userId, pointId, projectId, status: 'opening', progress: 0, fault: null },
        ...{ expiresAt: 0, reader: null, ending: new AbortController() },
      }
      sessions.set(session.id, session)
      use(session)
      return session
    },
    /** Runs a request of a session, which is used thereby. Converts faults of the reader to problems. */
    async ask<Result>(session: Session, request: (reader: FileReader) => Promise<Result>): Promise<Result> {
      use(session)
      const { reader, status } = session
      if (status === 'opening') throw problem('storage.files_opening')
      if (status === 'failed' || !reader) throw unreadable()
      try {
        return await request(reader)
      } catch (error) {
        if (!(error instanceof ReaderFault)) throw error
        throw error.code === 'missing' ? problem('storage.file_not_found') : unreadable()
      }
    },
    /** Removes what an earlier server left behind. */
    async clean(): Promise<void> {
      if (hypervisor.kind === 'qemu')
        for (const pids of (await processesBelow(files.readers)).values())
          for (const pid of pids) {
            log.info({ pid }, 'ending the reader of an earlier server')
            try {
              process.kill(pid, 'SIGKILL')
            } catch {
              // already ended
            }
          }
      for (const name of await readdir(files.readers))
        await rm(join(files.readers, name), { recursive: true, force: true })
    },
    /** Ends all sessions, and resolves once nothing of them is left. */
    async close(): Promise<void> {
      for (const session of [...sessions.values()]) end(session)
      await Promise.all(running)
    },
  }
}
