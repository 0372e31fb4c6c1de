import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import process from 'node:process'
import { captureDisks } from './capture-disks'
import { ImageFault, noSuchSnapshot } from './image-fault'
import { beginningOf, readImage } from './image-file'
import { markedFormat, type ImageDriver } from './image-format'
import { qcow2Size } from './image-headers'
import { inspectImage, unsupported } from './inspect-image'
import { chainNamed, checkImage, damaged, imageNamed, OutputOverflow, qemuImg, type ImageInfo } from './qemu-img'
import { withStorageDaemon } from './storage-daemon'
import {
  furtherDescriptor,
  readDescriptor,
  writeDescriptor,
  type Digests,
  type SnapshotAct,
  type WorkerAnswer,
  type WorkerRequest,
  type WorkerResult,
} from './worker-request'

/*
 * The worker for image files: a program started for a single file, with limits and without privileges, because the file
 * is untrusted. It trusts only the first line of its input.
 */

const source = `/proc/self/fd/${readDescriptor}`
const target = `/proc/self/fd/${writeDescriptor}`
const further = (index: number) => `/proc/self/fd/${furtherDescriptor + index}`
const tool = process.argv[2] ?? 'qemu-img'
// child processes inherit the file descriptors
const run = qemuImg(tool)

const say = (answer: WorkerAnswer) =>
  new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()))

let told = -1
function progress(percent: number): void {
  if (percent <= told) return
  told = percent
  void say({ progress: percent })
}

/**
 * Returns the format of a stored file: qcow2 or raw, because nothing else is ever stored. A guest cannot make one look
 * like the other: raw files that look like qcow2 are never accepted, and disks written by guests are qcow2.
 */
const storedFormat = (path: string): Promise<'qcow2' | 'raw'> =>
  readImage(path, async (file) => {
    const found = await markedFormat(file)
    if (found === 'qcow2') {
      // Throws for a backing file, which no stored file has.
      await qcow2Size(file)
      return found
    }
    if (found !== null && found !== 'iso' && found !== 'vpc') throw unsupported('The disk has an unknown format')
    return 'raw'
  })

/** Inspects a file, even a disk that a virtual machine has open (`-U`). */
async function factsOf(path: string): Promise<WorkerResult> {
  const format = await storedFormat(path)
  if (format === 'raw') return { format, virtualBytes: (await stat(path)).size, digests: null }
  const info = JSON.parse(await run(['info', '-U', '--output=json', imageNamed(path, format)])) as ImageInfo
  return { format, virtualBytes: info['virtual-size'], digests: null }
}

/** Grows the target disk to at least this size. */
async function grown(sizeBytes: number): Promise<WorkerResult> {
  const facts = await inOurWords('qcow2', () => factsOf(target))
  if (sizeBytes <= (facts.virtualBytes ?? 0)) return facts
  const image = imageNamed(target, facts.format === 'qcow2' ? 'qcow2' : 'raw')
  // a disk whose machine was killed has bitmaps that are incomplete, and cannot be resized with them
  if (facts.format === 'qcow2') await dropBitmaps(target, ({ flags }) => flags.includes('in-use'))
  await inOurWords('qcow2', () => run(['resize', image, String(sizeBytes)]))
  return { ...facts, virtualBytes: sizeBytes }
}

/** Removes the bitmaps of a disk that `which` selects; by default all of them. */
async function dropBitmaps(path: string, which: (bitmap: { flags: string[] }) => boolean = () => true): Promise<void> {
  const image = imageNamed(path, 'qcow2')
  const info = JSON.parse(await run(['info', '-U', '--output=json', image])) as ImageInfo
  for (const bitmap of info['format-specific']?.data?.bitmaps ?? [])
    if (which(bitmap)) await run(['bitmap', '--remove', path, bitmap.name])
}

/** Captures the target disk. Its blocks are copied by the storage daemon, which keeps its bitmaps. */
async function captured(mark: string, since: string | null): Promise<WorkerResult> {
  const facts = await factsOf(target)
  if (facts.format !== 'qcow2') throw unsupported('The disk cannot have recovery points')
  const copy = further(0)
  const withCopy = qemuImg(tool, 1)
  await withCopy(['create', '-q', '-f', 'qcow2', copy, String(facts.virtualBytes)])
  const node = 'disk'
  const { disks } = await withStorageDaemon({ file: target, node, more: 3 }, (qmp) =>
    captureDisks(qmp, [{ node, target: copy, mark, since }], { onProgress: progress }),
  )
  return { ...facts, isIncremental: disks[0]!.isIncremental }
}

/** Writes the content of a chain to the target. */
async function assembled(files: number, sizeBytes: number): Promise<WorkerResult> {
  const chain = Array.from({ length: files }, (_, index) => further(index))
  await qemuImg(tool, files)(['convert', '-p', '-O', 'qcow2', chainNamed(chain), target], progress)
  return resized(sizeBytes)
}

const snapshotFlags: Readonly<Record<SnapshotAct, string>> = { create: '-c', delete: '-d', revert: '-a' }

/** Changes the snapshots of the target disk. Repeating a change has no effect. */
async function changeSnapshots(act: SnapshotAct, name: string): Promise<WorkerResult> {
  const { format } = await factsOf(target)
  if (format !== 'qcow2') throw unsupported('The disk cannot have snapshots')
  const image = imageNamed(target, format)
  const info = JSON.parse(await run(['info', '-U', '--output=json', image])) as ImageInfo
  const exists = info.snapshots?.some((one) => one.name === name) ?? false
  if (act === 'revert' && !exists) throw noSuchSnapshot()
  // the bitmaps do not record what a revert changes
  if (act === 'revert') await dropBitmaps(target)
  if (act === 'revert' || exists === (act === 'delete')) await run(['snapshot', snapshotFlags[act], name, image])
  return factsOf(target)
}

/**
 * Sets the size of the target disk to that of the copied snapshot, because qemu-img gives the copy the current size of
 * the source disk.
 */
async function resized(sizeBytes: number): Promise<WorkerResult> {
  const facts = await grown(sizeBytes)
  if (facts.virtualBytes === null || facts.virtualBytes <= sizeBytes) return facts
  await inOurWords('qcow2', () => run(['resize', '--shrink', imageNamed(target, 'qcow2'), String(sizeBytes)]))
  return { ...facts, virtualBytes: sizeBytes }
}

async function imageFacts(): Promise<WorkerResult> {
  const [facts, found] = [await factsOf(source), await readImage(source, markedFormat)]
  return { ...facts, format: found === 'iso' ? 'iso' : facts.format, digests: await digestsOf(source) }
}

async function digestsOf(path: string): Promise<Digests> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')]
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    md5.update(chunk)
    sha256.update(chunk)
  }
  return { md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}

/** Replaces qemu-img errors with messages for users. */
const inOurWords = async <Result>(driver: ImageDriver, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    throw damaged(error, driver)
  }
}

async function work(request: WorkerRequest, rest: () => Promise<Buffer>): Promise<WorkerResult> {
  switch (request.do) {
    case 'nothing':
      return { format: 'raw', virtualBytes: null, digests: null }
    case 'inspect': {
      const { declared, maxVirtualBytes, headBytes, tailBytes, sizeBytes } = request
      const bytes = await rest()
      const tail = bytes.subarray(headBytes, headBytes + tailBytes)
      const file = beginningOf(bytes.subarray(0, headBytes), sizeBytes === null ? null : { sizeBytes, tail })
      return { ...(await inspectImage(file, declared, maxVirtualBytes)), digests: null }
    }
    case 'examine': {
      const { declared, maxVirtualBytes } = request
      const found = await readImage(source, (file) => inspectImage(file, declared, maxVirtualBytes))
      const { format } = found
      if (format === 'raw' || format === 'iso') return { ...found, digests: null }
      const virtualBytes = await inOurWords(format, () => checkImage(run, source, format, maxVirtualBytes))
      return { format, virtualBytes, digests: null }
    }
    case 'facts':
      return inOurWords('qcow2', () => (request.digests ? imageFacts() : factsOf(source)))
    case 'convert': {
      const from = request.from === 'stored' ? await storedFormat(source) : request.from
      // a machine may have the disk open, but it does not change a snapshot
      const part = request.snapshot === null ? [] : ['-U', '-l', `snapshot.name=${request.snapshot}`]
      const args = ['convert', '-p', ...part, '-O', 'qcow2', imageNamed(source, from), target]
      await inOurWords(from, () => run(args, progress))
      const { snapshot, atLeastBytes } = request
      const facts = await (snapshot === null ? grown(atLeastBytes) : resized(atLeastBytes))
      return { ...facts, digests: request.digests ? await digestsOf(target) : null }
    }
    case 'capture':
      return inOurWords('qcow2', () => captured(request.mark, request.since))
    case 'assemble':
      return inOurWords('qcow2', () => assembled(request.files, request.sizeBytes))
    case 'grow':
      return grown(request.sizeBytes)
    case 'snapshot':
      return inOurWords('qcow2', () => changeSnapshots(request.act, request.name))
  }
}

async function main(): Promise<void> {
  const chunks = process.stdin[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  let received: Buffer = Buffer.alloc(0)
  let end = -1
  while (end < 0) {
    const { done, value } = await chunks.next()
    if (done) return
    received = Buffer.concat([received, value])
    end = received.indexOf('\n')
  }
  const request = JSON.parse(received.toString('utf8', 0, end)) as WorkerRequest
  const parts = [received.subarray(end + 1)]
  const allOf = async () => {
    for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) parts.push(chunk.value)
    return Buffer.concat(parts)
  }
  if (request.do !== 'inspect') {
    // when the server closes the input, it no longer waits for the answer, so kill the whole process group, including
    // qemu-img
    void allOf().then(() => process.kill(0, 'SIGKILL'))
  }
  try {
    await say({ result: await work(request, allOf) })
  } catch (error) {
    if (error instanceof OutputOverflow) await say({ overflow: true })
    else if (error instanceof ImageFault) await say({ refusal: { code: error.code, message: error.message } })
    else throw error
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () => process.exit(1))
  },
)
