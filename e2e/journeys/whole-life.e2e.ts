import { copyFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { expect as expectSoon, test, type Locator, type Page } from '@playwright/test'
import { machineProcesses, removeData, startProgram, type ServerProgram } from '../../server/src/testing/server-program'
import { guestImage } from '../../tools/lib/paths.mjs'
import { tier } from '../../tools/lib/tier.mjs'
import { goByMenu } from '../support/menu'
import { choose, enter, press, refuseMouse, tabTo, tick } from '../support/keyboard'
import { openFixture, type Fixture } from './fixture'
import { lit, type } from './guest-screen'

/* Runs on this host in `npm test` and on a cloud in `npm run test:openstack`, with the same steps, except for the second boot. */

const image = process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage
/** Long timeout, because a step takes seconds in a guest without KVM, and minutes in a cloud on a busy machine. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })
// animations are off, because they would take most of the CPU time that the browser shares with the guests
test.use({
  actionTimeout: 60_000,
  contextOptions: { reducedMotion: 'reduce' },
  viewport: { width: 360, height: 800 },
})

let fixture: Fixture
let folder: string
let program: ServerProgram | undefined
test.beforeEach(async () => {
  test.setTimeout(25 * 60_000)
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-journey-'))
  fixture = await openFixture()
})
test.afterEach(async () => {
  await program?.kill()
  program = undefined
  await removeData(folder)
  await fixture.close()
})

const serve = (port = '0') =>
  startProgram({
    folder,
    ...fixture.program,
    environment: { ...fixture.program.environment, MAINSTAY_PORT: port },
  })

test('virtual machine life cycle: image, screen, keys, server restart, volume, resize, log, deletion [UI-007] [RT-012]', async ({
  page,
  context,
}) => {
  await refuseMouse(context)
  program = await serve()
  const { port } = new URL(program.url)

  await test.step('sign in', async () => {
    const { name, password, domain } = fixture.person
    await page.goto(program!.url)
    if (domain !== undefined) await enter(page.getByLabel('Domain'), domain)
    await enter(page.getByLabel('Username'), name)
    await enter(page.getByLabel('Password', { exact: true }), password)
    await press(page.getByRole('button', { name: 'Sign in', exact: true }))
    await expect(page.getByRole('heading', { level: 1, name: 'Monitoring' })).toBeVisible()
    await page.evaluate(() => Object.assign(window, { notReloaded: true }))
  })

  await test.step('upload a disk image', async () => {
    const file = path.join(folder, 'small-guest.qcow2')
    await copyFile(image, file)
    await openList(page, 'Images')
    await press(page.getByRole('link', { name: 'Add image' }).first())
    const dialog = page.getByRole('dialog', { name: 'Add image' })
    const choosing = page.waitForEvent('filechooser')
    await press(dialog.getByRole('button', { name: 'Choose file' }))
    await (await choosing).setFiles(file)
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('small-guest')
    await press(dialog.getByRole('button', { name: 'Add image' }))
    await expect(cellsOf(page, 'small-guest', 'Active')).toBeVisible()
  })

  await test.step('create a virtual machine on the network with the wizard', async () => {
    await openList(page, 'Virtual machines')
    await press(page.getByRole('link', { name: 'Create virtual machine' }).first())
    await enter(page.getByRole('textbox', { name: 'Name' }), 'first-machine')
    await chooseStep(page, 'Boot from', 'small-guest')
    await chooseStep(page, 'Flavor', fixture.flavor)
    await chooseStep(page, 'Networks', fixture.network)
    await press(page.getByRole('button', { name: 'Create virtual machine' }))
  })

  await test.step('watch it become active without reloading', async () => {
    await expect(rowOf(page, 'first-machine')).toBeVisible()
    await expect(cellsOf(page, 'first-machine', 'Active')).toBeVisible()
  })

  const address = await rowOf(page, 'first-machine')
    .getByRole('gridcell', { name: /^\d+(\.\d+){3}$/ })
    .innerText()
  await press(rowOf(page, 'first-machine').getByRole('button', { name: 'Actions for first-machine' }))
  const [tab] = await Promise.all([context.waitForEvent('page'), choose(page, 'Open console')])
  const screen = tab.getByRole('application', { name: 'Console for first-machine' }).locator('canvas')

  await test.step('see the guest on its screen and in the console log', async () => {
    await expect(screen).toBeVisible()
    await openTab(page, 'Console log')
    await follow(page)
    await expect(log(page)).toContainText('guest: ready')
    await expect(log(page)).toContainText(`network eth0: address ${address}/`)
    // light text on a dark background: some pixels are lit, but not all
    await expect.poll(() => lit(screen)).toBeGreaterThan(0.002)
    expect(await lit(screen)).toBeLessThan(0.5)
  })

  await test.step('type into the screen', async () => {
    await tabTo(screen)
    await type(tab, 'clear\n')
    await expect.poll(() => lit(screen)).toBeLessThan(0.002)
    const empty = await lit(screen)
    await type(tab, 'echo hello-$((6*7)) | tee /dev/ttyS0\n')
    await expect.poll(() => lit(screen)).toBeGreaterThan(empty + 0.001)
    await expect(log(page)).toContainText('hello-42')
    await tab.keyboard.press('Control+Alt+Home')
    await expect(tab.getByRole('button', { name: 'Ctrl+Alt+Del' })).toBeFocused()
  })

  expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true)
  await test.step('restart the server: the same guest process keeps running, and the console reconnects', async () => {
    // read the processes only now, because a guest that stops within its first minute under KVM is restarted with
    // emulation
    const processes = await machineProcesses(folder)
    expect(processes.size).toBe(fixture.hasProcesses ? 1 : 0)
    await program!.stop()
    await expect(tab.getByRole('status').filter({ hasText: 'Connection lost' })).toBeVisible()
    expect(await machineProcesses(folder)).toEqual(processes)
    // both pages reload when the server responds again (S1§4)
    const reloaded = Promise.all([page, tab].map((it) => it.waitForEvent('load', { timeout: 5 * 60_000 })))
    program = await serve(port)
    await reloaded
    await expect(screen).toBeVisible()
    expect(await machineProcesses(folder)).toEqual(processes)
    await tabTo(screen)
    await type(tab, 'clear\n')
    await expect.poll(() => lit(screen)).toBeLessThan(0.002)
    await type(tab, 'echo again-$((7*7)) | tee /dev/ttyS0\n')
    await follow(page)
    await expect(log(page)).toContainText('again-49')
    // the guest booted only once
    expect((await log(page).innerText()).match(/guest: ready/g)).toHaveLength(1)
  })

  await test.step('attach a volume while it runs: the guest sees a disk', async () => {
    await openList(page, 'Volumes')
    await press(page.getByRole('link', { name: 'Create volume' }).first())
    const form = page.getByRole('dialog', { name: 'Create volume' })
    await enter(form.getByLabel('Name', { exact: true }), 'data')
    await enter(form.getByRole('textbox', { name: /^Size/ }), '1')
    await press(form.getByRole('button', { name: 'Create volume' }))
    await expect(cellsOf(page, 'data', 'Available')).toBeVisible()
    await openTab(page, 'Volumes')
    await press(page.getByRole('button', { name: 'Attach volume' }))
    const attach = page.getByRole('dialog', { name: 'Attach volume to “first-machine”' })
    await tick(attach.getByRole('row').filter({ hasText: 'data' }).locator('input'))
    await press(attach.getByRole('button', { name: 'Attach volume' }))
    await expect(details(page).getByRole('row').filter({ hasText: 'data' })).toContainText(/1.GiB/)
    await openTab(page, 'Console log')
    await follow(page)
    await expect(log(page)).toContainText(/disk vd\w: attached, 1024 MiB/)
  })

  await test.step('extend it while it is attached: the guest sees it grow', async () => {
    await openTab(page, 'Volumes')
    await press(page.getByRole('button', { name: 'Extend data' }))
    const extend = page.getByRole('dialog', { name: 'Extend volume “data”' })
    await enter(extend.getByRole('textbox', { name: /^Size/ }), '2')
    await press(extend.getByRole('button', { name: 'Extend volume' }))
    await expect(details(page).getByRole('row').filter({ hasText: 'data' })).toContainText(/2.GiB/)
    await openTab(page, 'Console log')
    await follow(page)
    await expect(log(page)).toContainText(/disk vd\w: now 2048 MiB/)
  })

  await test.step('shut it down: the console is no longer available', async () => {
    await act(page, 'Shut down')
    // a cloud may not provide the log of a stopped instance; the page keeps the text that it has loaded
    await expect(details(page)).toContainText(
      /guest: power button, switching off|console log is not available while .* is shut down/,
    )
    await expect(log(page)).toContainText('again-49')
    await expect(tab.getByText('No console: Shut down')).toBeVisible()
  })

  await test.step('resize it', async () => {
    await act(page, 'Resize')
    const resize = page.getByRole('dialog', { name: 'Resize “first-machine”' })
    await tick(resize.getByRole('radio', { name: fixture.largerFlavor }))
    await press(resize.getByRole('button', { name: 'Resize virtual machine' }))
    await expect(resize).toBeHidden()
    await openTab(page, 'Overview')
    await expect(details(page)).toContainText(fixture.largerFlavor)
    await expect(details(page).getByText('High availability')).toHaveCount(fixture.hasHa ? 1 : 0)
    await expect(tab.getByRole('button', { name: 'Start' })).toBeEnabled()
  })

  // a second boot takes almost a minute on this host, so there it is part of `test:all`
  const bootsAgain = tier === 'all' || !fixture.hasProcesses
  if (bootsAgain)
    await test.step('start it from its console page and read the console log', async () => {
      await press(tab.getByRole('button', { name: 'Start' }))
      await expect(screen).toBeVisible()
      await openTab(page, 'Console log')
      await follow(page)
      // a cloud may start a new log for each boot
      await expect
        .poll(async () => (await log(page).innerText()).split('switching off').at(-1))
        .toContain('guest: ready')
      await tabTo(screen)
      await type(tab, 'free -m | tee /dev/ttyS0\n')
      await expect(log(page)).toContainText(/Mem: +\d+/)
      // the first flavor had 128 MiB, and the guest reports less than the full size
      expect(Number(/Mem: +(\d+)/.exec(await log(page).innerText())?.[1])).toBeGreaterThan(128)
    })

  await test.step('delete everything: virtual machine, volume, image', async () => {
    await act(page, 'Delete')
    await press(page.getByRole('alertdialog').getByRole('button', { name: 'Delete virtual machine' }))
    await expect(page.getByText('No virtual machines yet.')).toBeVisible()
    await openList(page, 'Volumes')
    // the boot volume was deleted with the virtual machine
    await expect(page.getByRole('row').filter({ has: page.getByRole('gridcell') })).toHaveCount(1)
    await expect(cellsOf(page, 'data', 'Available')).toBeVisible()
    await remove(page, 'data', 'Delete volume')
    await expect(page.getByText('No volumes yet.')).toBeVisible()
    await openList(page, 'Images')
    await remove(page, 'small-guest', 'Delete image')
    await expect(rowOf(page, 'small-guest')).toHaveCount(0)
    expect((await machineProcesses(folder)).size).toBe(0)
  })
})

const rowOf = (page: Page, name: string): Locator => page.getByRole('row', { name, exact: true })

/** Locates the cells with this text in a row. */
const cellsOf = (page: Page, row: string, text: string): Locator =>
  rowOf(page, row).getByRole('gridcell', { name: text, exact: true })

/**
 * Closes the details if they are open, and opens a list from the menu. Images are on a tab next to the virtual
 * machines.
 */
async function openList(page: Page, title: string): Promise<void> {
  if (await details(page).isVisible()) await page.keyboard.press('Escape')
  if (title === 'Volumes') await goByMenu(page, 'Storage', undefined, press)
  else await goByMenu(page, 'Compute', 'Virtual machines', press)
  if (title === 'Images') await press(page.getByRole('link', { name: title }))
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
}

/** Selects a single row in a panel of the wizard. */
async function chooseStep(page: Page, step: string, name: string): Promise<void> {
  await press(page.getByRole('link', { name: new RegExp(`^(Choose|Change): ${step}$`) }))
  const panel = page.getByRole('dialog', { name: step })
  await tick(panel.getByRole('row').filter({ hasText: name }).locator('input'))
  const others = await panel.getByRole('row').filter({ hasNotText: name }).locator('input').all()
  // a radio button cannot be cleared directly; selecting the row has already cleared it
  for (const other of others) if (await other.isChecked()) await tick(other, false)
  await press(panel.getByRole('button', { name: 'Done' }))
  await expect(panel).toBeHidden()
}

const details = (page: Page): Locator => page.getByRole('dialog', { name: 'first-machine', exact: true })

/** Opens a tab in the instance's details. Opens the details first if they are closed. */
async function openTab(page: Page, name: string): Promise<void> {
  if (await details(page).isHidden()) {
    await openList(page, 'Virtual machines')
    await press(page.getByRole('link', { name: 'first-machine', exact: true }))
  }
  await press(details(page).getByRole('tab', { name }))
}

/** Chooses an action from the menu in the instance's details. */
async function act(page: Page, action: string): Promise<void> {
  await press(details(page).getByRole('button', { name: /^Actions for/ }))
  await choose(page, action)
}

async function remove(page: Page, name: string, verb: string): Promise<void> {
  await press(rowOf(page, name).getByRole('button', { name: `Actions for ${name}` }))
  await choose(page, 'Delete')
  await press(page.getByRole('alertdialog').getByRole('button', { name: verb }))
}

const log = (page: Page): Locator => page.getByRole('region', { name: 'Console log' })

/** Makes the console log follow new output again after the tab was left or the server was restarted. */
async function follow(page: Page): Promise<void> {
  const isFollowing = page.getByRole('switch', { name: 'Follow' })
  // the switch may also change when the log is loaded for the first time
  await expect(() => tick(isFollowing)).toPass()
}
