import { Buffer } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { openSlowLine } from '../support/slow-line'
import { test } from '../support/test'

test('resumes an upload after a lost connection and after a reload', async ({
  page,
  server,
  signIn,
  complaints,
}, info) => {
  const path = info.outputPath('broken.raw')
  const bytes = randomBytes(8 * 1024 * 1024)
  bytes.fill(0, 0, 512)
  bytes.set(Buffer.from([0x55, 0xaa]), 510)
  await writeFile(path, bytes)
  const line = await openSlowLine(server.url, 50_000_000)
  await signIn(`${line.url}/login?redirectUrl=/compute/images`)
  await expect(page.getByRole('heading', { name: 'Images' })).toBeVisible()

  const corner = page.getByRole('region', { name: 'Notifications' })
  const bar = corner.getByRole('progressbar')
  const share = async () => Number(await bar.getAttribute('aria-valuenow'))
  await page.getByRole('link', { name: 'Add image' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add image' })
  await form.locator('input[type=file]').setInputFiles(path)
  line.setSpeed(400_000)
  await form.getByRole('button', { name: 'Add image' }).click()
  await expect.poll(share).toBeGreaterThan(10)
  line.cut()
  await expect.poll(share, { timeout: 30_000 }).toBeGreaterThan(30)

  page.once('dialog', (dialog) => void dialog.accept())
  line.setSpeed(50_000_000)
  await page.reload()
  await expect(corner.getByText('Upload of broken was interrupted')).toBeVisible({ timeout: 20_000 })
  const choosing = page.waitForEvent('filechooser')
  await corner.getByRole('button', { name: 'Choose file' }).click()
  await (await choosing).setFiles(path)
  await expect(page.getByRole('row', { name: 'broken' })).toContainText('Active')
  await page.getByRole('link', { name: 'broken' }).click()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await expect(page.getByRole('dialog', { name: 'broken', exact: true })).toContainText(sha256)
  await line.close()
  // ignore the errors that the lost connections caused
  complaints.length = 0
})
