import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import { create } from 'zustand'
import { asProblem, isCancelled, type CallProblem } from '../api/problem'
import { upload, type UploadInput } from '../api/upload'
import { guardLeaving } from './leave-guard'

/** S1§4: `PENDING` waits for its turn; one file is sent at a time. */
export type UploadStatus = 'PENDING' | 'PROGRESS' | 'UPLOADED' | 'FAILED' | 'CANCELED'

export interface Upload {
  id: string
  name: string
  sizeBytes: number
  sentBytes: number
  status: UploadStatus
  problem: CallProblem | undefined
  startedAt: number | undefined
}

interface Job {
  endpoint: Endpoint
  input: UploadInput
  controller: AbortController
  done: (reply: unknown) => void
}

export const useUploads = create<{ uploads: readonly Upload[] }>()(() => ({ uploads: [] }))

const jobs = new Map<string, Job>()
let made = 0
let endGuard: (() => void) | undefined

const set = (id: string, part: Partial<Upload>) =>
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((it) => (it.id === id ? { ...it, ...part } : it)),
  }))

const isOpen = ({ status }: Upload) => status === 'PENDING' || status === 'PROGRESS'

async function work(id: string) {
  const job = jobs.get(id)
  if (!job) return
  set(id, { status: 'PROGRESS', startedAt: Date.now() })
  try {
    const reply = await upload(job.endpoint, job.input, {
      signal: job.controller.signal,
      onProgress: (sentBytes) => set(id, { sentBytes }),
    })
    set(id, { status: 'UPLOADED', sentBytes: job.input.file.size })
    job.done(reply)
  } catch (thrown) {
    set(id, isCancelled(thrown) ? { status: 'CANCELED' } : { status: 'FAILED', problem: asProblem(thrown) })
  } finally {
    jobs.delete(id)
    next()
  }
}

function next() {
  const { uploads } = useUploads.getState()
  const isAnyOpen = uploads.some(isOpen)
  if (isAnyOpen) endGuard ??= guardLeaving()
  else {
    endGuard?.()
    endGuard = undefined
  }
  if (uploads.some(({ status }) => status === 'PROGRESS')) return
  const waiting = uploads.find(({ status }) => status === 'PENDING')
  if (waiting) void work(waiting.id)
}

/** Puts a file in the queue. It goes on while the person is elsewhere in the console. */
export function startUpload<E extends Endpoint>(
  endpoint: E,
  name: string,
  input: UploadInput,
  done: (reply: ReplyOf<E>) => void = () => {},
): string {
  const id = `upload-${++made}`
  jobs.set(id, { endpoint, input, controller: new AbortController(), done: done as (reply: unknown) => void })
  const waiting: Upload = {
    id,
    name,
    sizeBytes: input.file.size,
    sentBytes: 0,
    status: 'PENDING',
    problem: undefined,
    startedAt: undefined,
  }
  useUploads.setState(({ uploads }) => ({ uploads: [...uploads, waiting] }))
  next()
  return id
}

/** Takes a waiting file out of the queue, or breaks off one on its way. */
export function abortUpload(id: string) {
  const job = jobs.get(id)
  if (!job) return
  job.controller.abort()
  if (useUploads.getState().uploads.find((it) => it.id === id)?.status === 'PENDING') {
    jobs.delete(id)
    set(id, { status: 'CANCELED' })
    next()
  }
}

/** Takes what is over out of the list. */
export const forgetUpload = (id: string) =>
  useUploads.setState(({ uploads }) => ({ uploads: uploads.filter((it) => it.id !== id || isOpen(it)) }))
