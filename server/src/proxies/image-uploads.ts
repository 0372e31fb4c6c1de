import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MOST_UPLOADS, UPLOAD_KEPT_MS, type ImageUpload } from '@mainstay/contract/compute/image-uploads'
import type { Image, ImageDraft } from '@mainstay/contract/compute/images'
import type { Problem } from '@mainstay/contract/core/problems'
import { notFound, problem } from '@mainstay/contract/core/problems'
import type { AreaPorts } from '@mainstay/engines/ports/area-ports'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'
import type { Log, RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Inventory } from '../inventory/types'

/** Image uploads, which can be resumed after a connection breaks. */
export interface ImageUploads {
  /**
   * Starts an upload, or resumes it at `from.offset`. If the connection breaks, the engine keeps the bytes received and
   * waits for the rest. An upload without an ID (`from` is null) ends with its connection. Throws `too_many_uploads`,
   * or `conflict` with the expected offset in `data`.
   */
  create(scope: ProjectScope, draft: ImageDraft, from: ImageUpload | null, bytes: Readable): Promise<Image>
  /**
   * Returns the state of an upload. Throws `not_found` or `upload_elsewhere`, or the engine's error if it refused the
   * upload.
   */
  view(scope: Scope, id: string): Promise<ImageUpload>
  delete(scope: Scope, id: string): Promise<void>
  /** Aborts all uploads and gives the engine a few seconds to clean up. */
  close(): Promise<void>
}

interface Tools {
  ports: Pick<AreaPorts, 'compute'>
  inventory: Pick<Inventory, 'transaction'>
  log: Log
  keptMs?: number
}

interface Session {
  projectId: string
  upload: ImageUpload
  /** The stream that the engine reads. */
  stream: PassThrough
  outcome: Promise<Image>
  isOver: boolean
  /** Aborts the connection that is currently sending. */
  sender: AbortController
  sent: Promise<unknown>
  /** Set while no bytes arrive. */
  giveUp: NodeJS.Timeout | null
  note: NodeJS.Timeout
}

const keyOf = ({ user_id, project_id }: Scope, id: string) => `${user_id}/${project_id ?? ''}/${id}`

/** Kind of the private records in which each server notes its uploads for other servers. */
const noteKind = 'image-upload'
const noteMs = 5_000
/** If a server has not renewed its note for this long, it has stopped, and its upload has ended. */
const silentMs = 20_000
const closeMs = 5_000
const RETRY_AFTER_S = 30

export function createImageUploads({ ports, inventory, log, keptMs = UPLOAD_KEPT_MS }: Tools): ImageUploads {
  const sessions = new Map<string, Session>()
  /** The project of each upload without an ID. */
  const unnamed: string[] = []

  /** Serializes writes of notes, so that a renewal cannot restore a note that has just been removed. */
  let noting: Promise<unknown> = Promise.resolve()
  const note = (write: (records: RecordsTransaction) => Promise<void>) => {
    noting = noting
      .then(() => inventory.transaction(write))
      .catch((error: unknown) => log.warn({ error }, 'failed to record an upload'))
  }
  const putNote = (key: string) =>
    note(async (records) => {
      if (sessions.has(key)) await records.putPrivate(noteKind, key, { at: Date.now() })
    })
  const removeNote = (key: string) =>
    note(async (records) => {
      if (!sessions.has(key)) await records.removePrivate(noteKind, key)
    })

  function forget(key: string): void {
    const session = sessions.get(key)
    if (!session) return
    sessions.delete(key)
    clearInterval(session.note)
    if (session.giveUp) clearTimeout(session.giveUp)
    session.sender.abort()
    if (!session.isOver) session.stream.destroy(problem('compute.upload_given_up'))
    removeNote(key)
  }
  const forgetLater = (key: string, session: Session) => {
    if (session.giveUp) clearTimeout(session.giveUp)
    session.giveUp = setTimeout(() => forget(key), keptMs)
    session.giveUp.unref()
  }

  /** Makes room by dropping an interrupted upload. Throws if all uploads are active. */
  function makeRoom(projectId: string): void {
    const open = [...sessions].filter(([, session]) => session.projectId === projectId && !session.isOver)
    if (open.length + unnamed.filter((other) => other === projectId).length < MOST_UPLOADS) return
    const left = open.find(([, { giveUp }]) => giveUp !== null)
    if (left) return forget(left[0])
    throw problem(
      'compute.too_many_uploads',
      { most: MOST_UPLOADS },
      { data: { limit: MOST_UPLOADS, retry_after: RETRY_AFTER_S } },
    )
  }

  async function createUnnamed(scope: ProjectScope, draft: ImageDraft, bytes: Readable): Promise<Image> {
    makeRoom(scope.project_id)
    unnamed.push(scope.project_id)
    try {
      return await ports.compute.images.create(scope, draft, bytes)
    } finally {
      unnamed.splice(unnamed.indexOf(scope.project_id), 1)
    }
  }

  function begin(key: string, scope: ProjectScope, draft: ImageDraft, { id, size }: ImageUpload): Session {
    putNote(key)
    const stream = new PassThrough()
    // the engine reports the outcome
    stream.on('error', () => undefined)
    const session: Session = {
      projectId: scope.project_id,
      upload: { id, size, offset: 0 },
      stream,
      outcome: ports.compute.images.create(scope, draft, stream),
      isOver: false,
      sender: new AbortController(),
      sent: Promise.resolve(),
      giveUp: null,
      note: setInterval(() => putNote(key), noteMs),
    }
    session.note.unref()
    const over = () => {
      session.isOver = true
      session.sender.abort()
      // keep the session for a client that missed the response
      forgetLater(key, session)
    }
    session.outcome.then(over, over)
    sessions.set(key, session)
    return session
  }

  /** The problem to report for an unknown upload, which another server may have. */
  async function nowhere(key: string): Promise<Problem> {
    const note = await inventory.transaction((records) => records.getPrivate<{ at: number }>(noteKind, key))
    return note && note.at > Date.now() - silentMs ? problem('compute.upload_elsewhere') : notFound()
  }

  async function take(key: string, session: Session, offset: number, bytes: Readable): Promise<Image> {
    // a client that reconnects has abandoned its old connection
    session.sender.abort()
    const sender = new AbortController()
    session.sender = sender
    const sending = session.sent.then(() => goOn(session, offset, bytes, sender.signal))
    session.sent = sending.catch(() => undefined)
    try {
      await sending
    } catch (error) {
      if (!session.isOver) {
        if (session.sender === sender) forgetLater(key, session)
        throw error
      }
    }
    return session.outcome
  }

  return {
    async create(scope, draft, from, bytes) {
      if (from === null) return createUnnamed(scope, draft, bytes)
      const key = keyOf(scope, from.id)
      let session = sessions.get(key)
      if (!session) {
        const problem = await nowhere(key)
        if (from.offset > 0 || problem.code === 'upload_elsewhere') throw problem
        if (!sessions.has(key)) makeRoom(scope.project_id)
        session = sessions.get(key) ?? begin(key, scope, draft, from)
      }
      if (session.upload.size !== from.size)
        throw problem('compute.upload_of_another_file', {}, { data: { size: session.upload.size } })
      return take(key, session, from.offset, bytes)
    },
    async view(scope, id) {
      const key = keyOf(scope, id)
      const session = sessions.get(key)
      if (!session) throw await nowhere(key)
      if (session.isOver) await session.outcome
      return session.upload
    },
    async delete(scope, id) {
      const key = keyOf(scope, id)
      const session = sessions.get(key)
      if (!session) throw await nowhere(key)
      forget(key)
      await Promise.all([session.outcome.catch(() => undefined), noting])
    },
    async close() {
      const open = [...sessions]
      for (const [key] of open) forget(key)
      const ends = Promise.allSettled([...open.map(([, { outcome }]) => outcome), noting])
      await Promise.race([ends, sleep(closeMs, undefined, { ref: false })])
    },
  }
}

/** Passes bytes to the engine until the file is complete. Throws if the connection ends before that. */
async function goOn(session: Session, offset: number, bytes: Readable, signal: AbortSignal): Promise<void> {
  const { upload, stream } = session
  if (session.isOver) return
  if (signal.aborted) throw takenOver()
  if (offset !== upload.offset) throw problem('compute.upload_offset', {}, { data: { offset: upload.offset } })
  if (session.giveUp) clearTimeout(session.giveUp)
  const chunks = bytes[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  const stopped = once(signal, 'abort').then(() => {
    throw takenOver()
  })
  stopped.catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), stopped])
      if (done) break
      if (upload.offset + value.length > upload.size)
        throw problem('compute.upload_too_many_bytes', {}, { data: { size: upload.size } })
      const isTaken = stream.write(value)
      upload.offset += value.length
      if (!isTaken) await Promise.race([once(stream, 'drain'), stopped])
    }
  } finally {
    void chunks.return?.()
  }
  if (upload.offset < upload.size) throw problem('core.upload_interrupted')
  stream.end()
}

const takenOver = () => problem('compute.upload_in_progress')
