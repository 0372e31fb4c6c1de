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

/** Long timeout, because guests without KVM that share two cores are up to 60 times slower. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })
test.use({
  actionTimeout: 60_000,
  contextOptions: { reducedMotion: 'reduce' },
  viewport: { width: 360, height: 800 },
})

let folder: string
let program: ServerProgram | undefined
let serve: (port?: string) => Promise<ServerProgram>
/** The most recently started server, even if its start failed or timed out. */
let starting: Promise<ServerProgram> | undefined
let host: Server
/** Requests received by a server on the host that listens on all addresses. */
const visitors: string[] = []

test.beforeEach(async () => {
  // 15 minutes is not enough if other tests use the same two cores
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
        MAINSTAY_SAMPLE_IMAGE: process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage,
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
  await enter(page.getByLabel('Username'), 'admin')
  await enter(page.getByLabel('Password', { exact: true }), ADMIN_PASSWORD)
  await press(page.getByRole('button', { name: 'Sign in', exact: true }))
  await expect(page.getByRole('button', { name: 'Menu', exact: true })).toBeVisible()
}

/**
 * Returns a command that requests the page on a guest's web server, which contains the guest's name. The command prints
 * nothing if there is no response.
 */
const ask = (address: string, port = 80) =>
  `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 4 ${address} ${port} 2>/dev/null | tail -n 1`
const ping = (address: string) => `ping -c 1 -W 4 ${address} >/dev/null && echo answered || echo silent`
/** Command that adds a page with an endless response to a guest's web server. */
const serveTicks =
  "mkdir /www/cgi-bin; printf '#!/bin/sh\\necho; while echo tick $((n=n+1)); do sleep 1; done\\n' >/www/cgi-bin/ticks; chmod +x /www/cgi-bin/ticks"
/** Returns a command that reads the endless response until no data arrives for 9 s. */
const listen = (address: string) =>
  `printf 'GET /cgi-bin/ticks HTTP/1.0\\r\\n\\r\\n' | nc ${address} 80 | { while read -t 9 l; do echo $l; done; killall nc; }`
/** Returns the number of the last tick received. */
const ticks = async (page: Page) => Number(/.*^tick (\d+)$/ms.exec(await shown(page))?.[1] ?? 0)

const said = async (page: Page, line: string) => (await run(page, line)).text
/** Waits until the guest whose terminal is open has started and has received this address through DHCP. */
async function expectStarted(page: Page, address: string): Promise<void> {
  await expect.poll(() => shown(page)).toContain(`network eth0: address ${address}/24`)
  await expect.poll(() => shown(page)).toContain('guest: ready')
}
/** Returns the IP address shown in the list of instances. */
const listedAddress = (page: Page, name: string) =>
  page
    .getByRole('row', { name, exact: true })
    .getByRole('gridcell', { name: /^\d+(\.\d+){3}$/ })
    .innerText()

const portOfHost = () => (host.address() as AddressInfo).port
/** Returns an external IPv4 address of the host, or its loopback address if it has none. */
const addressOfHost = () =>
  Object.values(networkInterfaces())
    .flat()
    .find((it) => it?.family === 'IPv4' && !it.internal)?.address ?? '127.0.0.1'

/**
 * Booting a guest takes almost a minute. So only `test:all` has a guest in the other network, where the gate pings the
 * router instead, and recovers from a host failure, which boots guests again. In the gate, specs cover both.
 */
const isWhole = tier === 'all'

test(`network life cycle: routers, security groups, floating IPs, VPN, published ports, restart${isWhole ? ', host failure' : ''}`, async ({
  page,
}) => {
  await refuseMouse(page)
  program = await serve()
  const { port } = new URL(program.url)

  await test.step('creates an external network for routers in all projects', async () => {
    await signIn(page, program!.adminUrl)
    await addExternalNetwork(page, 'outside', '203.0.113.0/24')
  })

  await test.step('creates two networks, and a router between them with an external gateway', async () => {
    await signIn(page, program!.url)
    await addNetwork(page, 'front', '10.1.0.0/24')
    await addNetwork(page, 'back', '10.2.0.0/24')
    await addRouter(page, 'edge', 'outside', ['front', 'back'])
    await addClosedGroup(page, 'web', 'HTTP 80')
  })

  const ids = await test.step('starts virtual machines on these networks', async () => {
    const image = 'Sample image'
    const web = { name: 'web', image, network: 'front', group: 'web', floatingIpOf: 'outside' }
    return {
      web: await addMachine(page, web),
      far: isWhole ? await addMachine(page, { name: 'far', image, network: 'back' }) : null,
      near: await addMachine(page, { name: 'near', image, network: 'front' }),
    }
  })
  const addresses = {
    web: await listedAddress(page, 'web'),
    far: ids.far && (await listedAddress(page, 'far')),
    near: await listedAddress(page, 'near'),
  }
  /** What `near` asks in the other network, and the answer. */
  const other = addresses.far
    ? { question: ask(addresses.far), answer: 'far' }
    : { question: ping('10.2.0.1'), answer: 'answered' }

  await test.step('assigns addresses through DHCP, and allows only the traffic that the rules permit', async () => {
    await openTerminal(page, ids.web)
    await expectStarted(page, addresses.web)
    // the guest's security group blocks all outbound traffic
    expect(await said(page, `${ping(addresses.near)}; ${ping('203.0.113.1')}`)).toBe('silent\nsilent')
    await said(page, serveTicks)

    // `near` was created last, and has to have started before it can answer
    await openTerminal(page, ids.near)
    await expectStarted(page, addresses.near)
    if (ids.far && addresses.far) {
      await openTerminal(page, ids.far)
      await expectStarted(page, addresses.far)
      expect(await said(page, `${ping(addresses.near)}; ${ping(addresses.web)}; ${ask(addresses.web)}`)).toBe(
        'answered\nsilent\nweb',
      )
      await openTerminal(page, ids.near)
    }
    expect(await said(page, `${ask('web')}; ${other.question}; ${ping('203.0.113.1')}`)).toBe(
      `web\n${other.answer}\nanswered`,
    )
    expect(await said(page, `${ask(addresses.web, 81)}; ${ask(addressOfHost(), portOfHost())}`)).toBe('')
    expect(visitors).toEqual([])
  })

  const branch = await test.step("passes pings through a VPN tunnel to another project's router", async () => {
    const address = await openSecondSite(program!.url, '10.9.0.0/24')
    await expect.poll(() => said(page, ping(address))).toBe('answered')
    return address
  })

  const published = await test.step("serves a guest's web page on a published port of its floating IP", async () => {
    const link = await publishPort(page, 'web', '80')
    // the host starts listening shortly after the row shows the port as open
    await expect(() => page.goto(link)).toPass()
    await expect(page.locator('body')).toHaveText('web')
    return link
  })

  await test.step('keeps connections open when the server is killed, and resumes managing everything after a restart', async () => {
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

  await test.step('closes an open connection and blocks new ones when the rule for them is deleted', async () => {
    await openGroup(page, 'web')
    await deleteRule(page, /^Delete rule 1: TCP 80/)
    await openTerminal(page, ids.near)
    await expect.poll(() => shown(page)).toContain('over-2')
    expect(await said(page, `${ask('web')}; ${other.question}`)).toBe(other.answer)
    await openGroup(page, 'web')
    await addRule(page, 'HTTP 80')
    await openTerminal(page, ids.near)
    await expect.poll(() => said(page, ask('web'))).toBe('web')
  })

  if (!isWhole) return
  await test.step('rebuilds everything after all processes on the host have been killed', async () => {
    await program!.kill()
    await killMachinesAndNetworks(folder)
    program = await serve(port)
    await go(page, '/compute/instances')
    // booting takes almost a minute, so only two guests are started; in the other network, the router is pinged instead
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
