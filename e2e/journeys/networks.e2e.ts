import { mkdtemp } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { AddressInfo } from 'node:net'
import { expect as expectSoon, test, type Page } from '@playwright/test'
import {
  ADMIN_PASSWORD,
  killMachinesAndNetworks,
  machineProcesses,
  removeData,
  startProgram,
  type ServerProgram,
} from '../../server/src/testing/server-program'
import { asOrdinaryUser } from '../../server/src/testing/journeys/ordinary-user'
import { guestImage } from '../../tools/lib/paths.mjs'
import { tier } from '../../tools/lib/tier.mjs'
import { enter, press, refuseMouse } from '../support/keyboard'
import { openTerminal, run, shown, type } from './guest-terminal'
import {
  addClosedGroup,
  addExternalNetwork,
  addMachine,
  addNetwork,
  addRouter,
  addRule,
  deleteRule,
  go,
  openGroup,
  publishPort,
  startAgain,
} from './networking-forms'
import { openSecondSite } from './second-site'

/** Guests without KVM that share two cores need a minute for what takes a second. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })
test.use({
  actionTimeout: 60_000,
  contextOptions: { reducedMotion: 'reduce' },
  viewport: { width: 360, height: 800 },
})

let folder: string
let program: ServerProgram | undefined
let serve: (port?: string) => Promise<ServerProgram>
/** The last one that was started, also where nobody waits for it any more. */
let starting: Promise<ServerProgram> | undefined
let host: Server
/** Who came to a server of the host that listens at all of its addresses. */
const visitors: string[] = []

test.beforeEach(async () => {
  // a quarter of an hour is not enough where others use the same two cores
  test.setTimeout(40 * 60_000)
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-networks-'))
  const { through, environment } = await asOrdinaryUser(folder)
  serve = (port = '0') => {
    starting = startProgram({
      folder,
      hypervisor: 'qemu',
      readyWithinMs: 10 * 60_000,
      ...(through && { through }),
      environment: {
        ...environment,
        MAINSTAY_PORT: port,
        MAINSTAY_TRY_OUT_GUEST: process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage,
      },
    })
    return starting
  }
  host = createServer((request, response) => {
    visitors.push(request.url ?? '')
    response.end('the host')
  })
  await new Promise<void>((listens) => host.listen(0, '0.0.0.0', listens))
})
test.afterEach(async () => {
  await starting?.then(
    (it) => it.kill(),
    () => undefined,
  )
  program = starting = undefined
  await removeData(folder)
  await new Promise((closed) => host.close(closed))
})

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await enter(page.getByLabel('User name'), 'admin')
  await enter(page.getByLabel('Password', { exact: true }), ADMIN_PASSWORD)
  await press(page.getByRole('button', { name: 'Sign in', exact: true }))
  await expect(page.getByRole('button', { name: 'Menu', exact: true })).toBeVisible()
}

/** Asks a web server of a guest for its page, which is the guest's name. Says nothing where nobody answers. */
const ask = (address: string, port = 80) =>
  `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 4 ${address} ${port} 2>/dev/null | tail -n 1`
const ping = (address: string) => `ping -c 1 -W 4 ${address} >/dev/null && echo answered || echo silent`
/** Lets the web server of a guest talk for ever. */
const serveTicks =
  "mkdir /www/cgi-bin; printf '#!/bin/sh\\necho; while echo tick $((n=n+1)); do sleep 1; done\\n' >/www/cgi-bin/ticks; chmod +x /www/cgi-bin/ticks"
/** Listens to that until nothing comes any more. */
const listen = (address: string) =>
  `printf 'GET /cgi-bin/ticks HTTP/1.0\\r\\n\\r\\n' | nc ${address} 80 | { while read -t 9 l; do echo $l; done; killall nc; }`
/** How many came so far. */
const ticks = async (page: Page) => Number(/.*^tick (\d+)$/ms.exec(await shown(page))?.[1] ?? 0)

const said = async (page: Page, line: string) => (await run(page, line)).text
/** Waits until the guest of the open terminal has started, and DHCP has given it this address, as its serial port tells. */
async function expectStarted(page: Page, address: string): Promise<void> {
  await expect.poll(() => shown(page)).toContain(`network eth0: address ${address}/24`)
  await expect.poll(() => shown(page)).toContain('guest: ready')
}
/** The address that the list of machines shows. */
const listedAddress = (page: Page, name: string) =>
  page
    .getByRole('row', { name, exact: true })
    .getByRole('gridcell', { name: /^\d+(\.\d+){3}$/ })
    .innerText()

const portOfHost = () => (host.address() as AddressInfo).port
/** One at which programs of the host answer to others; where it has none, its loopback. */
const addressOfHost = () =>
  Object.values(networkInterfaces())
    .flat()
    .find((it) => it?.family === 'IPv4' && !it.internal)?.address ?? '127.0.0.1'

/** The rebuild after the end of the host boots all guests again, so only `test:all` has it; unit specs cover it in the gate. */
const endsHost = tier === 'all'

test(`the life of networks: a router between two, machines, rules, a floating IP, a tunnel, a published port, a kill of the server${endsHost ? ', the end of the host' : ''}`, async ({
  page,
}) => {
  await refuseMouse(page)
  program = await serve()
  const { port } = new URL(program.url)

  await test.step('an operator makes an external network, and lets the routers of everybody lead to it', async () => {
    await signIn(page, program!.adminUrl)
    await addExternalNetwork(page, 'outside', '203.0.113.0/24')
  })

  await test.step('a project makes two networks, and a router between them and the outside', async () => {
    await signIn(page, program!.url)
    await addNetwork(page, 'front', '10.1.0.0/24')
    await addNetwork(page, 'back', '10.2.0.0/24')
    await addRouter(page, 'edge', 'outside', ['front', 'back'])
    await addClosedGroup(page, 'web', 'HTTP 80')
  })

  const ids = await test.step('three machines come to life on them', async () => {
    const image = 'Try-out guest'
    const web = { name: 'web', image, network: 'front', group: 'web', floatingIpOf: 'outside' }
    return {
      web: await addMachine(page, web),
      far: await addMachine(page, { name: 'far', image, network: 'back' }),
      near: await addMachine(page, { name: 'near', image, network: 'front' }),
    }
  })
  const addresses = {
    web: await listedAddress(page, 'web'),
    far: await listedAddress(page, 'far'),
    near: await listedAddress(page, 'near'),
  }

  await test.step('DHCP gives them their addresses; they reach each other and the outside as rules say, and not otherwise', async () => {
    await openTerminal(page, ids.web)
    await expectStarted(page, addresses.web)
    // its group lets nothing out
    expect(await said(page, `${ping(addresses.near)}; ${ping('203.0.113.1')}`)).toBe('silent\nsilent')
    await said(page, serveTicks)

    await openTerminal(page, ids.far)
    await expectStarted(page, addresses.far)
    expect(await said(page, `${ping(addresses.near)}; ${ping(addresses.web)}; ${ask(addresses.web)}`)).toBe(
      'answered\nsilent\nweb',
    )

    await openTerminal(page, ids.near)
    await expectStarted(page, addresses.near)
    expect(await said(page, `${ask('web')}; ${ask(addresses.far)}; ${ping('203.0.113.1')}`)).toBe('web\nfar\nanswered')
    expect(await said(page, `${ask(addresses.web, 81)}; ${ask(addressOfHost(), portOfHost())}`)).toBe('')
    expect(visitors).toEqual([])
  })

  const branch = await test.step('a tunnel to the router of another project carries pings', async () => {
    const address = await openSecondSite(program!.url, '10.9.0.0/24')
    await expect.poll(() => said(page, ping(address))).toBe('answered')
    return address
  })

  const published = await test.step('a published port of its floating IP shows the page of a machine', async () => {
    const link = await publishPort(page, 'web', '80')
    // the host listens there a moment after the row says so
    await expect(() => page.goto(link)).toPass()
    await expect(page.locator('body')).toHaveText('web')
    return link
  })

  await test.step('a killed server leaves connections alone; another one goes on with everything', async () => {
    await page.goto(program!.url)
    await openTerminal(page, ids.near)
    await type(page, `clear; ${listen(addresses.web)}; echo "over-$((1+1))"`)
    await expect.poll(() => ticks(page)).toBeGreaterThan(1)
    const machines = await machineProcesses(folder)
    await program!.kill()
    await page.goto(published)
    await expect(page.locator('body')).toHaveText('web')

    program = await serve(port)
    expect(await machineProcesses(folder)).toEqual(machines)
    await page.goto(program.url)
    await openTerminal(page, ids.near)
    const before = await ticks(page)
    await expect.poll(() => ticks(page)).toBeGreaterThan(before)
    expect(await shown(page)).not.toContain('over-2')
  })

  await test.step('a rule that is taken away ends the connection that it let through, and lets no other one in', async () => {
    await openGroup(page, 'web')
    await deleteRule(page, /^Delete rule 1: TCP 80/)
    await openTerminal(page, ids.near)
    await expect.poll(() => shown(page)).toContain('over-2')
    expect(await said(page, `${ask('web')}; ${ask(addresses.far)}`)).toBe('far')
    await openGroup(page, 'web')
    await addRule(page, 'HTTP 80')
    await openTerminal(page, ids.near)
    expect(await said(page, ask('web'))).toBe('web')
  })

  if (!endsHost) return
  await test.step('when everything on the host has ended, all of it is built anew', async () => {
    await program!.kill()
    await killMachinesAndNetworks(folder)
    program = await serve(port)
    await go(page, '/compute/instances')
    // a boot takes most of a minute; the router answers for the other network
    for (const name of ['web', 'near']) await startAgain(page, name)
    await openTerminal(page, ids.near)
    await expectStarted(page, addresses.near)
    await expect.poll(() => said(page, ask('web'))).toBe('web')
    expect(await said(page, `${ping('10.2.0.1')}; ${ping('203.0.113.1')}`)).toBe('answered\nanswered')
    expect(await said(page, `${ask(addresses.web, 81)}; ${ask(addressOfHost(), portOfHost())}`)).toBe('')
    await expect.poll(() => said(page, ping(branch))).toBe('answered')
    await page.goto(published)
    await expect(page.locator('body')).toHaveText('web')
    expect(visitors).toEqual([])
  })
})
