import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import { session } from '@mainstay/contract/identity/session'
import { create } from 'zustand'
import { access } from '../api/access'
import { call } from '../api/call'
import { asProblem, isCancelled, type CallProblem } from '../api/problem'
import { isResumable, newUploadId, uploadResumably, type UploadCalls } from '../api/transfers/resumable-upload'
import { readKept } from '../session/kept'
import {
  aliveEveryMs,
  dropUpload,
  isSameFile,
  keepUpload,
  orphanedUploads,
  stayAlive,
  type KeptUpload,
} from './kept-uploads'
import { guardLeaving } from './leave-guard'

/** States of an upload (S1§4). `PENDING` waits in the queue; one file is sent at a time. */
export type UploadStatus = 'PENDING' | 'PROGRESS' | 'UPLOADED' | 'FAILED' | 'CANCELED'

export interface Upload {
  id: string
  name: string
  sizeBytes: number
  sentBytes: number
  status: UploadStatus
  problem: CallProblem | undefined
  startedAt: number | undefined
  /** Failed, but can be resumed from the part that the server has received. */
  canGoOn: boolean
  /** Name of the file that the user has to select again. `isOther` is true if the user selected a different file. */
  wanted: { file: string; isOther: boolean } | undefined
}

/** A kind of upload: its endpoint and the callback for its completion. */
export interface UploadOf<E extends Endpoint> {
  endpoint: E
  calls: UploadCalls
  done: (reply: ReplyOf<E>) => void
}

interface Job {
  of: UploadOf<Endpoint>
  file: File | null
  token: string | null
  kept: KeptUpload
  /** Part of the file may have reached the server. */
  isBegun: boolean
  controller: AbortController
}

export const useUploads = create<{ uploads: readonly Upload[] }>()(() => ({ uploads: [] }))

const jobs = new Map<string, Job>()
let made = 0
let endGuard: (() => void) | undefined
let alive: ReturnType<typeof setInterval> | undefined

const set = (id: string, part: Partial<Upload>) =>
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((it) => (it.id === id ? { ...it, ...part } : it)),
  }))

const isOpen = ({ status }: Upload) => status === 'PENDING' || status === 'PROGRESS'

async function work(id: string) {
  const job = jobs.get(id)
  if (!job?.file) return
  const { of, file, token, kept, isBegun, controller } = job
  const { signal } = controller
  set(id, { status: 'PROGRESS', startedAt: Date.now() })
  keepUpload({ ...kept, aliveAt: Date.now() })
  job.isBegun = true
  try {
    const renew = async () => (job.token = await renewedToken(kept.projectId, job.token))
    const input = { calls: of.calls, id: kept.id, file, headers: kept.headers, token, isBegun, renew }
    const reply = await uploadResumably(of.endpoint, input, {
      signal,
      onProgress: (sentBytes) => set(id, { sentBytes }),
    })
    set(id, { status: 'UPLOADED', sentBytes: file.size })
    end(id)
    of.done(reply)
  } catch (thrown) {
    if (isCancelled(thrown)) {
      set(id, { status: 'CANCELED' })
      giveUp(id)
    } else {
      const problem = asProblem(thrown)
      const canGoOn = problem.kind === 'network' || isResumable(problem)
      set(id, { status: 'FAILED', problem, canGoOn })
      if (!canGoOn) end(id)
    }
  } finally {
    next()
  }
}

/** A new token for the project once the user has signed in again; null if the user does not. */
async function renewedToken(projectId: string | null, used: string | null): Promise<string | null> {
  if (projectId === null) return (await access().onUnauthorized(used)) === 'again' ? access().scopedToken() : null
  // like every call, this one waits for the sign-in
  return (await call(session.enterProject, { params: { id: projectId } }, { isUnscoped: true })).token
}

function end(id: string) {
  const job = jobs.get(id)
  jobs.delete(id)
  if (job) dropUpload(job.kept.id)
  if (jobs.size > 0) return
  clearInterval(alive)
  alive = undefined
}

/** Drops the job and deletes the partial upload from the server. */
function giveUp(id: string) {
  const job = jobs.get(id)
  end(id)
  if (!job?.isBegun) return
  // if this fails, the server deletes it automatically after a few minutes
  call(job.of.calls.delete, { params: { id: job.kept.id } }, { token: job.token }).catch(() => undefined)
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

function add(job: Job, shown: Partial<Upload>): string {
  const id = `upload-${++made}`
  jobs.set(id, job)
  alive ??= setInterval(() => stayAlive(new Set([...jobs.values()].map(({ kept }) => kept.id))), aliveEveryMs)
  const { name, file } = job.kept
  const upload: Upload = {
    id,
    name,
    sizeBytes: file.size,
    sentBytes: 0,
    status: 'PENDING',
    problem: undefined,
    startedAt: undefined,
    canGoOn: false,
    wanted: undefined,
    ...shown,
  }
  useUploads.setState(({ uploads }) => ({ uploads: [...uploads, upload] }))
  next()
  return id
}

const projectNow = () => readKept().project?.id ?? null

/** Queues a file for upload into the current project. The upload continues while the user navigates in the console. */
export function startUpload<E extends Endpoint>(
  of: UploadOf<E>,
  name: string,
  { file, headers = {} }: { file: File; headers?: Record<string, string> },
): string {
  const { size, lastModified } = file
  const kept: KeptUpload = {
    id: newUploadId(),
    name,
    file: { name: file.name, size, lastModified },
    headers,
    projectId: projectNow(),
    aliveAt: Date.now(),
  }
  const token = access().scopedToken()
  return add({ of, file, token, kept, isBegun: false, controller: new AbortController() }, {})
}

/** Lists uploads of closed pages that the server can still resume. */
export async function findInterrupted<E extends Endpoint>(of: UploadOf<E>): Promise<void> {
  const token = access().scopedToken()
  for (const kept of orphanedUploads(projectNow())) {
    if ([...jobs.values()].some((job) => job.kept.id === kept.id)) continue
    try {
      const { offset } = await call(of.calls.view, { params: { id: kept.id } }, { token })
      const job = {
        of,
        file: null,
        token,
        kept,
        isBegun: true,
        controller: new AbortController(),
      }
      const wanted = { file: kept.file.name, isOther: false }
      add(job, { status: 'FAILED', sentBytes: offset, wanted })
    } catch (thrown) {
      if (!isResumable(asProblem(thrown))) dropUpload(kept.id)
    }
  }
}

/** Resumes a failed upload. */
export function goOn(id: string) {
  if (!jobs.get(id)?.file) return
  set(id, { status: 'PENDING', problem: undefined, canGoOn: false })
  next()
}

/** Resumes an upload with the file that the user selected again, if it is the same. */
export function resumeUploadWith(id: string, file: File) {
  const job = jobs.get(id)
  if (!job) return
  if (!isSameFile(job.kept, file)) return set(id, { wanted: { file: job.kept.file.name, isOther: true } })
  job.file = file
  set(id, { wanted: undefined })
  goOn(id)
}

/** Cancels and removes all uploads, because the user who started them has signed out. */
export function forgetUploads() {
  for (const [id, job] of jobs) {
    job.controller.abort()
    giveUp(id)
  }
  useUploads.setState({ uploads: [] })
  next()
}

/** Cancels a pending or running upload. */
export function abortUpload(id: string) {
  const job = jobs.get(id)
  if (!job) return
  job.controller.abort()
  if (useUploads.getState().uploads.find((it) => it.id === id)?.status === 'PENDING') {
    giveUp(id)
    set(id, { status: 'CANCELED' })
    next()
  }
}

/** Removes a finished upload from the list. An upload that could have been resumed is discarded. */
export function removeUpload(id: string) {
  const isOver = useUploads.getState().uploads.some((it) => it.id === id && !isOpen(it))
  if (!isOver) return
  giveUp(id)
  useUploads.setState(({ uploads }) => ({ uploads: uploads.filter((it) => it.id !== id) }))
}
