import { createHash } from 'node:crypto'
import { mkdtemp, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { images } from '@mainstay/contract/compute/images'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { expect as expectSoon, type Page } from '@playwright/test'
import { signIn, type ApiClient } from '../../server/src/testing/api-client'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../../server/src/testing/server-program'
import { guestImage } from '../../tools/lib/paths.mjs'
import { test } from '../support/test'
import { openTerminal, run, shown } from './guest-terminal'

/** Long timeout, because every step takes seconds in a guest without KVM. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })
test.use({ actionTimeout: 60_000 })

let folder: string
let program: ServerProgram
let member: ApiClient
test.beforeEach(async () => {
  test.setTimeout(25 * 60_000)
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-recovery-'))
  program = await startProgram({
    folder,
    hypervisor: 'qemu',
    environment: { MAINSTAY_SAMPLE_IMAGE: process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage },
  })
  member = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
})
test.afterEach(async () => {
  // undefined if the server failed to start, which the test report shows anyway
  await (program as ServerProgram | undefined)?.kill()
  await removeData(folder)
})

/** Content of the file that `seq 1 20000` writes. */
const ORDERS = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('')

/** Creates a virtual machine with a boot volume from the sample image and an empty data volume. */
async function createMachine(name: string): Promise<string> {
  const image = async () => (await member.call(images.list)).data.find(({ status }) => status === 'active')
  await expect.poll(image).toBeDefined()
  const { id } = await member.call(instances.create, {
    body: {
      ...{ name, flavor: 's1.nano', networks: [] },
      volumes: [
        { source: 'image', id: (await image())!.id, size: GiB, boot_index: 0 },
        { source: 'blank', size: GiB },
      ],
    },
  })
  return id
}

async function openConsole(page: Page): Promise<void> {
  await page.goto(program.url)
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
}

/** Runs lines of shell script in a guest. Throws if one of them fails. Returns the output of the last one. */
async function inGuest(page: Page, lines: readonly string[]): Promise<string> {
  let output = ''
  for (const line of lines) {
    const { code, text } = await run(page, line)
    if (code !== 0) throw new Error(`${line}: ${text}`)
    output = text
  }
  return output
}

const idle = async (id: string): Promise<Instance | null> => {
  const row = await member.call(instances.view, { params: { id } })
  return row.task_state === null ? row : null
}

const pointsOf = async (query: Record<string, string>) =>
  (await member.call(volumeBackups.list, { query: { ...query, sort: 'taken_at:asc' } })).data

const opens = (page: Page, to: string) => page.goto(`${program.url}${to}`)

test('gets a deleted file and a whole virtual machine back from a backup plan that ran three times', async ({
  page,
}) => {
  const id = await createMachine('orders')
  await expect.poll(async () => (await idle(id))?.status).toBe('ACTIVE')
  await openConsole(page)
  await openTerminal(page, id)
  await inGuest(page, ['mkdosfs /dev/vdb', 'mount -t vfat /dev/vdb /mnt'])

  await test.step('a plan with both volumes runs three times while the virtual machine writes', async () => {
    await opens(page, '/compute/backup-plans/add')
    await page.getByLabel('Name', { exact: true }).fill('nightly')
    await page.getByRole('button', { name: 'Create backup plan' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'nightly' })).toBeVisible()
    const plan = page.url()
    await page
      .getByRole('link', { name: 'Add volumes' })
      .or(page.getByRole('button', { name: 'Add volumes' }))
      .first()
      .click()
    const drawer = page.getByRole('dialog', { name: 'Add volumes to “nightly”' })
    const boxes = drawer.getByRole('checkbox', { name: /orders/ })
    await expect(boxes).toHaveCount(2)
    for (const box of await boxes.all()) await box.check({ force: true })
    await drawer.getByRole('button', { name: /^Add/ }).click()
    await expect(drawer).toBeHidden()

    const writes = [
      ['seq 1 20000 > /mnt/orders.csv', 'echo first > /mnt/state', 'sync'],
      ['rm /mnt/orders.csv', 'echo second > /mnt/state', 'sync'],
      ['dd if=/dev/urandom of=/mnt/noise bs=1M count=8', 'echo third > /mnt/state', 'sync'],
    ]
    for (const [index, lines] of writes.entries()) {
      await openTerminal(page, id)
      await inGuest(page, lines)
      await page.goto(plan)
      await page.getByRole('button', { name: 'Run now' }).click()
      const made = async () => (await pointsOf({ server_id: id, status: 'available' })).length
      await expect.poll(made).toBe(2 * (index + 1))
    }
  })

  const points = await pointsOf({ server_id: id })
  const data = points.filter(({ device }) => device === 'vdb')
  expect(points).toHaveLength(6)
  expect(new Set(points.map(({ instant_id }) => instant_id)).size).toBe(3)
  expect(data.map(({ is_incremental }) => is_incremental)).toEqual([false, true, true])

  await test.step('the deleted file is found in the first recovery point and downloaded', async () => {
    await opens(page, `/compute/recovery-points/${data[0]!.id}/files`)
    const row = page.getByRole('row', { name: /orders\.csv/i })
    await row.getByRole('button', { name: /^Actions for/ }).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Download' }).click()
    const saved = await readFile(await (await saving).path())
    expect(saved.toString()).toBe(ORDERS)
  })

  await test.step('a new virtual machine with the data of the second run starts', async () => {
    await opens(page, `/compute/recovery-points/${data[1]!.id}`)
    await page.getByRole('button', { name: /^Actions/ }).click()
    await page.getByRole('menuitem', { name: 'Restore as a new virtual machine' }).click()
    const form = page.getByRole('dialog', { name: 'Restore “orders” as a new virtual machine' })
    await form.getByLabel('Name', { exact: true }).fill('orders-again')
    await form.getByRole('button', { name: 'Restore virtual machine' }).click()
    const found = async () =>
      (await member.call(instances.list)).data.find(
        ({ name, status }) => name === 'orders-again' && status === 'ACTIVE',
      )
    await expect.poll(found).toBeDefined()
    await openTerminal(page, (await found())!.id)
    expect(await inGuest(page, ['mount -t vfat /dev/vdb /mnt', 'cat /mnt/state'])).toBe('second')
    expect((await run(page, 'ls /mnt/noise')).code).not.toBe(0)
  })

  await test.step('the original returns to the first run', async () => {
    await opens(page, `/compute/recovery-points/${data[0]!.id}`)
    await page.getByRole('button', { name: /^Actions/ }).click()
    await page.getByRole('menuitem', { name: 'Replace the volumes of the virtual machine' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the volumes of “orders”?' })
    await dialog.locator('label', { hasText: 'Create recovery points of the current volumes first' }).click()
    await dialog.getByLabel(/orders/).fill('orders')
    await dialog.getByRole('button', { name: 'Replace volumes' }).click()
    const before = (await member.call(instances.view, { params: { id } })).volumes.map((volume) => volume.id)
    const isReplaced = async () => {
      const row = await idle(id)
      return row?.status === 'ACTIVE' && row.volumes.every((volume) => !before.includes(volume.id))
    }
    await expect.poll(isReplaced).toBe(true)
    await openTerminal(page, id)
    // the terminal also shows the lines from before the replacement
    await expect.poll(() => shown(page)).toMatch(/Power down[^]*guest: ready[^]*#\s*$/)
    const sum = await inGuest(page, ['mount -t vfat /dev/vdb /mnt', 'sha256sum /mnt/orders.csv'])
    expect(sum).toContain(createHash('sha256').update(ORDERS).digest('hex'))
  })

  await test.step('one changed bit is found, and the points that need it are named', async () => {
    const file = await open(path.join(folder, 'engine', 'backups', `${data[1]!.id}.qcow2`), 'r+')
    const byte = Buffer.alloc(1)
    const { size } = await file.stat()
    await file.read(byte, 0, 1, size - 1)
    await file.write(Buffer.from([byte[0]! ^ 1]), 0, 1, size - 1)
    await file.close()
    await opens(page, `/compute/recovery-points/${data[2]!.id}`)
    await page.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByText(/^An earlier recovery point that this one needs is damaged/)).toBeVisible()
    await page.getByRole('link', { name: 'earlier recovery point' }).click()
    await expect(page.getByText('The file of this recovery point is damaged.')).toBeVisible()
  })
  // the console would report that it lost its connection when the server is killed
  await page.goto('about:blank')
})
