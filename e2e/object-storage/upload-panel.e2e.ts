import { writeFile } from 'node:fs/promises'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { expect, type FileChooser, type Page } from '@playwright/test'
import { onlyPlainChoosers } from '../support/file-choosers'
import { openSlowLine } from '../support/slow-line'
import { test } from '../support/test'

const MiB = 1024 ** 2
const bucket = 'upload-panel'
const quick = 500 * MiB
const phone = { width: 360, height: 740 }
const desk = { width: 1440, height: 900 }

async function uploadFiles(page: Page, files: Parameters<FileChooser['setFiles']>[0]) {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload files' }).click()
  await (await choosing).setFiles(files)
}
const small = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })

test('the upload panel shows the state of each file, works using only the keyboard, and fits a phone screen [UI-088]', async ({
  page,
  server,
  signIn,
  expectAccessible,
  complaints,
}, info) => {
  const line = await openSlowLine(server.url, quick)
  await onlyPlainChoosers(page.context())
  page.on('dialog', (dialog) => void dialog.accept())
  await signIn(`${line.url}/login?redirectUrl=/s3-storage`)
  await expect(page.getByRole('heading', { name: 'Buckets' })).toBeVisible()
  const headers = {
    authorization: 'AWS4-HMAC-SHA256 Credential=session/20260101/us-east-1/s3/aws4_request',
    'x-requested-with': 'test',
    'x-auth-token': (await page.evaluate(() => localStorage.getItem('scopedToken'))) ?? '',
  }
  await page.request.put(`${line.url}${S3_PROXY_PATH}/${bucket}`, { headers })
  const denied = {
    Effect: 'Deny',
    Principal: '*',
    Action: 's3:PutObject',
    Resource: `arn:aws:s3:::${bucket}/photos:old*`,
  }
  const data = JSON.stringify({ Version: '2012-10-17', Statement: [denied] })
  await page.request.put(`${line.url}${S3_PROXY_PATH}/${bucket}?policy=`, { headers, data })
  await page.goto(`${line.url}/s3-storage/buckets/files/${bucket}`)

  const big = info.outputPath('db-dump-2026-11-21-of-the-shop-and-all-that-belongs-to-it.sql.zst')
  await writeFile(big, Buffer.alloc(70 * MiB, 1))
  await uploadFiles(page, [small('photos:old?.zip'), small('2026-11-21T23.ndjson')])
  const panel = page.getByRole('dialog', { name: /files? uploaded$|^Uploading/ })
  await expect(panel).toHaveAccessibleName('1 of 2 files uploaded')
  // each part takes longer than a look at the page
  line.setSpeed(4 * MiB)
  await uploadFiles(page, big)
  await expect(panel.getByText('Part 2 of 5')).toBeVisible()
  line.setSpeed(MiB / 8)
  // progress of this file or of all uploads
  const stored = (name: string | RegExp) => expect(panel.getByRole('progressbar', { name }))
  await stored(/db-dump/).toHaveAttribute('aria-valuenow', /^[1-9]/)
  await stored('All uploads').toHaveAttribute('aria-valuenow', /^[1-9]/)
  await uploadFiles(page, [small('video-master-04.mov'), small('video-master-05.mov'), small('vm-image.qcow2')])
  await panel.getByRole('button', { name: 'Pause “video-master-05.mov”' }).click()

  await expect(panel).toContainText('of 70 MiB')
  await expect(panel).toContainText('1 done, 1 failed, 3 waiting')
  await expectAccessible()
  await page.setViewportSize(phone)
  await expectAccessible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
  await page.setViewportSize(desk)

  await test.step('with the keyboard: move an upload to the front, pause all uploads, close the panel', async () => {
    await panel.getByRole('button', { name: 'Upload “vm-image.qcow2” next' }).focus()
    await page.keyboard.press('Enter')
    await expect(panel.getByRole('listitem').filter({ hasText: 'Waiting' }).first()).toContainText('vm-image.qcow2')
    await panel.getByRole('button', { name: 'Pause all' }).focus()
    await page.keyboard.press('Space')
    await expect(panel.getByText(/^Paused at \d+%$/)).toBeVisible()
    await expect(panel.getByRole('button', { name: 'Resume all' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Upload files' })).toBeFocused()
  })

  await page.reload()
  await expect(page.getByText('You have 5 unfinished uploads.')).toBeVisible()
  await page.getByRole('button', { name: 'Show uploads' }).click()
  const unfinished = page.getByRole('dialog', { name: '5 unfinished uploads' })
  const other = info.outputPath('other.txt')
  await writeFile(other, 'something else')
  const choosing = page.waitForEvent('filechooser')
  await unfinished.getByRole('button', { name: 'Choose file for “vm-image.qcow2”' }).click()
  await (await choosing).setFiles(other)
  await expect(unfinished.getByText(/^“other.txt” was changed|^“other.txt” is not the same size/)).toBeVisible()
  await expectAccessible()
  await page.setViewportSize(phone)
  await expectAccessible()
  await page.setViewportSize(desk)
  await page.keyboard.press('Escape')
  await expectAccessible()
  await page.setViewportSize(phone)
  await expectAccessible()
  await line.close()
  // ignore the errors that the lost connections caused
  complaints.length = 0
})
