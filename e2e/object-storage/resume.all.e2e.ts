import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  expect as expectSoon,
  test as base,
  type BrowserContext,
  type LaunchOptions,
  type Locator,
  type Page,
  type PlaywrightWorkerArgs,
} from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { users } from '@mainstay/contract/identity/users'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../../server/src/testing/server-program'
import { onlyPlainChoosers } from '../support/file-choosers'
import { openSlowLine, type SlowLine } from '../support/slow-line'

/*
 * Uploads survive a closed browser and a killed server, so these tests use their own browser profile and data folder.
 */

const expect = expectSoon.configure({ timeout: 30_000 })
const MiB = 1024 ** 2
const size = 80 * MiB + 12_345
const quick = 500 * MiB
const parts = 6
const modified = new Date('2026-03-04T05:06:07Z')

/** Opens a browser with a persistent profile. If `hasPickers` is set, its file picker returns file handles. */
type OpenBrowser = (hasPickers?: boolean) => Promise<Page>
const test = base.extend<{ openBrowser: OpenBrowser }>({
  openBrowser: async ({ playwright, launchOptions }, use) => {
    await use((hasPickers = false) => openProfile(playwright, launchOptions, hasPickers))
    await context.close()
  },
})

let folder: string
let profile: string
let server: ServerProgram
let line: SlowLine
let context: BrowserContext
/** Part numbers that the server has accepted, including duplicates. */
let taken: number[] = []

test.describe.configure({ mode: 'serial' })
test.beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-resume-'))
  server = await startProgram({ folder, world: 'demo' })
  line = await openSlowLine(server.url, quick)
})
test.afterAll(async () => {
  await line.close()
  await server.kill()
  await removeData(folder)
})
test.beforeEach(async () => {
  profile = await mkdtemp(path.join(tmpdir(), 'mainstay-profile-'))
  line.setSpeed(quick)
  taken = []
})
test.afterEach(() => rm(profile, { recursive: true, force: true }))

async function write(name: string, bytes: Buffer): Promise<string> {
  const file = path.join(profile, name)
  await writeFile(file, bytes)
  await utimes(file, modified, modified)
  return file
}

async function signIn(page: Page, name = 'admin') {
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByLabel('Password', { exact: true })).toBeHidden()
}

async function signOut(page: Page) {
  await page.getByRole('button', { name: /^Account menu: / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByLabel('Username')).toBeVisible()
}

const panel = (page: Page) =>
  page.getByRole('dialog', { name: /^(Uploading|\d+ unfinished uploads?|\d+ of \d+ files?)/ })
const stored = async (page: Page) =>
  Number(await panel(page).getByRole('progressbar', { name: /big/ }).getAttribute('aria-valuenow'))

/** Lets the upload run until more than `percent` of the file is stored, then slows it down. */
async function until(page: Page, percent: number) {
  line.setSpeed(12 * MiB)
  await expect.poll(() => stored(page), { intervals: [50] }).toBeGreaterThan(percent)
  line.setSpeed(MiB / 4)
}

async function chooseFor(page: Page, button: Locator, file: string) {
  const choosing = page.waitForEvent('filechooser')
  await button.click()
  await (await choosing).setFiles(file)
}

async function choose(page: Page, file: string) {
  line.setSpeed(quick)
  await chooseFor(page, panel(page).getByRole('button', { name: /^Choose file for/ }), file)
}

const openUnfinished = async (page: Page) => {
  await expect(page.getByText('You have 1 unfinished upload.')).toBeVisible()
  await page.getByRole('button', { name: 'Show uploads' }).click()
}

async function openProfile(
  playwright: PlaywrightWorkerArgs['playwright'],
  launchOptions: LaunchOptions,
  hasPickers: boolean,
): Promise<Page> {
  context = await playwright.chromium.launchPersistentContext(path.join(profile, 'chromium'), {
    ...launchOptions,
    ...{ baseURL: line.url, locale: 'en-US', viewport: { width: 1440, height: 900 } },
  })
  await (hasPickers ? pickOwnFile(context) : onlyPlainChoosers(context))
  context.on('response', (response) => {
    const number = new URL(response.url()).searchParams.get('partNumber')
    if (number !== null && response.status() === 200) taken.push(Number(number))
  })
  context.on('page', acceptLeaving)
  const [page] = context.pages()
  acceptLeaving(page!)
  return page!
}

/** Replaces the file picker with one that returns a file from the browser's private storage without a prompt. */
const pickOwnFile = (of: BrowserContext) =>
  of.addInitScript(() => {
    const own = async () => (await navigator.storage.getDirectory()).getFileHandle('big.bin', { create: true })
    Object.assign(window, { showOpenFilePicker: async () => [await own()] })
  })

/** Fills this file with random bytes. Returns its SHA-256 hash. */
const fillOwnFile = (page: Page): Promise<string> =>
  page.evaluate(async (bytes) => {
    const file = await (await navigator.storage.getDirectory()).getFileHandle('big.bin', { create: true })
    const content = new Uint8Array(bytes)
    for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536))
    const stream = await file.createWritable()
    await stream.write(content)
    await stream.close()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content))
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }, size)

const acceptLeaving = (page: Page) => void page.on('dialog', (dialog) => void dialog.accept())

/**
 * Returns the request headers that the console sends in the current project. S3 requires a signature; the proxy checks
 * only the session.
 */
const headersOf = async (page: Page) => ({
  authorization: 'AWS4-HMAC-SHA256 Credential=session/20260101/us-east-1/s3/aws4_request',
  'x-requested-with': 'test',
  'x-auth-token': (await page.evaluate(() => localStorage.getItem('scopedToken'))) ?? '',
})

/** Signs in, creates a bucket and opens its file list. */
async function begin(page: Page, bucket: string) {
  await page.goto('/login?redirectUrl=/s3-storage')
  await signIn(page)
  await expect(page.getByRole('heading', { name: 'Buckets' })).toBeVisible()
  const made = await page.request.put(`${S3_PROXY_PATH}/${bucket}`, { headers: await headersOf(page) })
  expect(made.status()).toBe(200)
  await page.goto(`/s3-storage/buckets/files/${bucket}`)
}

/** Makes the bucket public. Returns the SHA-256 hash of an object, read anonymously from the S3 endpoint. */
async function sha256Of(page: Page, bucket: string, key: string): Promise<string> {
  const data = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }],
  })
  const opened = await page.request.put(`${S3_PROXY_PATH}/${bucket}?policy=`, { headers: await headersOf(page), data })
  expect(opened.ok()).toBe(true)
  const service = (await (await page.request.get(s3Service.view.path)).json()) as { endpoint: string }
  const reply = await fetch(`${service.endpoint}/${bucket}/${encodeURIComponent(key)}`)
  expect(reply.status).toBe(200)
  return createHash('sha256')
    .update(Buffer.from(await reply.arrayBuffer()))
    .digest('hex')
}

/** Adds another user with access to object storage. */
async function addGrace(page: Page) {
  const { id, project } = await page.evaluate(() => ({
    ...(JSON.parse(localStorage.getItem('user')!) as { id: string }),
    project: JSON.parse(localStorage.getItem('currentProject')!) as { id: string },
  }))
  expect(id).not.toBe('')
  const assigned_projects = [{ project_id: project.id, role: 'project_member' }]
  const data = { name: 'grace', password: ADMIN_PASSWORD, assigned_projects }
  const made = await page.request.post(fillPath(users.create.path, { domain_id: 'default' }), {
    // no project token, because users in a domain are created outside projects
    headers: { 'x-requested-with': 'test' },
    data,
  })
  expect(made.status()).toBe(201)
}

test('resumes an upload after a reload, a sign-out, a closed browser and a killed server, without sending a part twice', async ({
  openBrowser,
}) => {
  test.setTimeout(6 * 60_000)
  const bytes = randomBytes(size)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = await write('big+file %2F é.bin', bytes)
  const other = Buffer.from(bytes)
  other.fill(0, 0, 16)
  let page = await openBrowser()

  await test.step('start the upload, and reload when part of the file is stored', async () => {
    await begin(page, 'resumed')
    await addGrace(page)
    await chooseFor(page, page.getByRole('button', { name: 'Upload files' }), file)
    await until(page, 15)
    await page.reload()
  })

  await test.step('a different file with the same size and modification time is rejected because of its content', async () => {
    await openUnfinished(page)
    const before = taken.length
    await choose(page, await write('other.bin', other))
    await expect(panel(page).getByText(/does not match the part that is already uploaded/)).toBeVisible()
    expect(taken.length).toBe(before)
  })

  await test.step('the original file continues the upload; signing out pauses it', async () => {
    await choose(page, file)
    await until(page, 35)
    await signOut(page)
  })

  await test.step('another user in the same browser does not see the upload', async () => {
    line.setSpeed(quick)
    await signIn(page, 'grace')
    await page.goto('/s3-storage')
    await expect(page.getByRole('heading', { name: 'Buckets' })).toBeVisible()
    await expect(page.getByText('No buckets yet.')).toBeVisible()
    await expect(page.getByText(/unfinished upload/)).toHaveCount(0)
    await signOut(page)
  })

  await test.step('the upload continues after another sign-in; then browser and server are stopped', async () => {
    await signIn(page)
    await page.goto('/s3-storage')
    await openUnfinished(page)
    await choose(page, file)
    await until(page, 55)
    await context.close()
    await server.kill()
    server = await startProgram({ folder, world: 'demo' })
    line.leadTo(server.url)
    line.setSpeed(quick)
  })

  await test.step('the finished object has the same content as the file', async () => {
    page = await openBrowser()
    await page.goto('/s3-storage')
    await expect(page.getByRole('heading', { name: 'Buckets' })).toBeVisible()
    await openUnfinished(page)
    await choose(page, file)
    await expect(panel(page).getByText('Checksum matches')).toBeVisible()
    expect(await sha256Of(page, 'resumed', path.basename(file))).toBe(sha256)
    expect(taken.toSorted((one, other) => one - other)).toEqual(Array.from({ length: parts }, (_, at) => at + 1))
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Buckets' })).toBeVisible()
    await expect(page.getByText(/unfinished upload/)).toHaveCount(0)
  })
})

/** Lists a bucket's unfinished uploads on the server. */
async function uploadsAtServer(page: Page, bucket: string): Promise<{ key: string; uploadId: string }[]> {
  const reply = await page.request.get(`${S3_PROXY_PATH}/${bucket}?uploads=`, { headers: await headersOf(page) })
  const text = await reply.text()
  return [...text.matchAll(/<Key>(.*?)<\/Key><UploadId>(.*?)<\/UploadId>/g)].map(([, key = '', uploadId = '']) => ({
    ...{ key, uploadId },
  }))
}

test('if the browser has a file handle, resumes an upload with one click, and in only one of two tabs', async ({
  openBrowser,
}) => {
  const page = await openBrowser(true)
  await begin(page, 'known')
  const sha256 = await fillOwnFile(page)
  await page.getByRole('button', { name: 'Upload files' }).click()
  await until(page, 15)
  await page.reload()
  await expect(page.getByText('You have 1 unfinished upload.')).toBeVisible()
  const other = await context.newPage()
  await other.goto('/s3-storage')
  await openUnfinished(other)

  await openUnfinished(page)
  await page.getByRole('button', { name: /^Resume the upload of/ }).click()
  await expect(panel(page).getByText(/^Part \d of 6$/)).toBeVisible()
  await other.getByRole('button', { name: /^Resume the upload of/ }).click()
  await expect(other.getByText('This upload has finished, or continues in another tab')).toBeVisible()
  line.setSpeed(quick)
  await expect(panel(page).getByText('Checksum matches')).toBeVisible()
  expect(await sha256Of(page, 'known', 'big.bin')).toBe(sha256)
  expect(taken.toSorted((one, other) => one - other)).toEqual(Array.from({ length: parts }, (_, at) => at + 1))
})

test('restarts an upload that was removed from the server, and removes a discarded upload from the server', async ({
  openBrowser,
}) => {
  const page = await openBrowser()
  const bytes = randomBytes(size)
  const file = await write('big.bin', bytes)
  await begin(page, 'ended')
  await chooseFor(page, page.getByRole('button', { name: 'Upload files' }), file)
  await until(page, 15)
  await page.reload()
  await openUnfinished(page)
  const [{ uploadId } = { uploadId: '' }] = await uploadsAtServer(page, 'ended')
  line.setSpeed(quick)
  await page.request.delete(`${S3_PROXY_PATH}/ended/big.bin?uploadId=${uploadId}`, { headers: await headersOf(page) })
  await choose(page, file)
  await expect(
    panel(page).getByText(
      /^This upload no longer exists on the server, which keeps unfinished uploads for at most 7 days/,
    ),
  ).toBeVisible()
  await panel(page).getByRole('button', { name: 'Start over' }).click()
  await until(page, 15)

  await panel(page).getByRole('button', { name: 'Pause all' }).click()
  await expect(panel(page).getByText(/^Paused at \d+%$/)).toBeVisible()
  line.setSpeed(quick)
  const before = [...taken]
  await panel(page).getByRole('button', { name: 'Resume all' }).click()
  await expect(panel(page).getByText('Checksum matches')).toBeVisible()
  expect(await sha256Of(page, 'ended', 'big.bin')).toBe(createHash('sha256').update(bytes).digest('hex'))
  // parts stored before the pause are not sent again
  expect(taken.slice(before.length).filter((number) => number === 1)).toEqual([])

  await panel(page).getByRole('button', { name: 'Close' }).click()
  await chooseFor(page, page.getByRole('button', { name: 'Upload files' }), file)
  await page.getByRole('button', { name: 'Keep both' }).click()
  await until(page, 15)
  await page.reload()
  await openUnfinished(page)
  expect(await uploadsAtServer(page, 'ended')).toMatchObject([{ key: 'big (2).bin' }])
  line.setSpeed(quick)
  await panel(page)
    .getByRole('button', { name: /^Discard the upload of/ })
    .click()
  await expect(panel(page)).toHaveCount(0)
  expect(await uploadsAtServer(page, 'ended')).toEqual([])
  await page.reload()
  await expect(page.getByRole('row', { name: 'big.bin', exact: true })).toBeVisible()
  await expect(page.getByText(/unfinished upload/)).toHaveCount(0)
})
