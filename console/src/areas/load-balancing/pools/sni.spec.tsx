import { loadBalancers } from '@mainstay/contract/load-balancing/load-balancers'
import { loadBalancerPools } from '@mainstay/contract/load-balancing/pools'
import { networks } from '@mainstay/contract/networking/networks'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { otherCertificate, shopCertificate } from '../../../../../engines/src/embedded/testing/certificate'
import { makeRsaCertificate } from '../../../../../server/src/testing/certificates/rsa-certificate'
import { openPage, press, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const as = 'project-member'
withPages()
beforeAll(() => Promise.all([import('../views'), import('../forms')]))

it(
  'removes SNI certificates, adds new ones with their private keys, and shows them',
  { tags: 'all', timeout: 120_000 },
  async () => {
    const certified = (name: string) => {
      const { cert, key } = makeRsaCertificate({ names: [name] })
      return { certificate: cert, private_key: key }
    }
    const [own, more] = [certified('all.example'), certified('new.example')]
    const net = await server.call(networks.createPrivate, {
      as,
      body: { name: 'tls', subnets: [{ cidr: '192.168.91.0/24' }] },
    })
    const tls = { protocol: 'HTTPS', protocol_port: 443, tls_enabled: true } as const
    const { id: balancer } = await server.call(loadBalancers.create, {
      as,
      body: {
        ...{ name: 'tls', network_id: net.id },
        pools: [{ name: 'secure', ...tls, ...own, sni_certificates: [shopCertificate, otherCertificate] }],
      },
    })
    const view = () => server.call(loadBalancers.view, { as, params: { id: balancer } })
    await vi.waitFor(async () => expect((await view()).status).toBe('ACTIVE'), { timeout: 60_000 })
    const { id } = (await view()).pools[0]!
    const namesNow = async () => {
      const pool = await server.call(loadBalancerPools.view, { as, params: { id } })
      expect(JSON.stringify(pool)).not.toContain('PRIVATE KEY')
      return pool.sni_certificates!.map(({ names }) => names.join())
    }
    expect(await namesNow()).toEqual(['shop.example', 'other.example'])

    const path = `/compute/load-balancers/${balancer}`
    await openPage(`/iframe/load-balancers/${balancer}/edit-pool/${id}`, as)
    await press('Advanced')
    const other = within(await screen.findByRole('region', { name: 'other.example' }, pageTimeout))
    // the text includes the time until the certificate expires
    expect(other.getByText(/^Valid until/).textContent).toMatch(/\(in\s\d+\syears\)/)
    await press('Remove shop.example')
    // keyboard focus moves to the next control in the list
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Add certificate'), pageTimeout)
    await press('Add certificate')
    const entry = within(await screen.findByRole('region', { name: 'Certificate 2' }, pageTimeout))
    await waitFor(() => expect(document.activeElement).toBe(entry.getByLabelText(/^Certificate/)), pageTimeout)
    // a new entry is not validated before the user has typed anything
    expect(entry.queryByText(/Paste (text|a certificate) in PEM/)).toBe(null)
    const fill = (label: RegExp, value: string) => fireEvent.change(entry.getByLabelText(label), { target: { value } })
    fill(/^Certificate/, more.certificate)
    fill(/^Private key/, shopCertificate.private_key)
    await press('Save')
    expect(await entry.findByText('The private key does not match the certificate', {}, pageTimeout)).toBeTruthy()
    fill(/^Private key/, more.private_key)
    await press('Save')
    await waitFor(async () => expect(await namesNow()).toEqual(['other.example', 'new.example']), pageTimeout)

    await openPage(`${path}/${id}/properties`, as)
    expect(await screen.findByText('other.example', {}, pageTimeout)).toBeTruthy()
    expect(screen.getByText('new.example')).toBeTruthy()
    // the default certificate is listed too
    expect(screen.getByText('all.example')).toBeTruthy()
    expect(screen.queryByText('shop.example')).toBe(null)
  },
)
