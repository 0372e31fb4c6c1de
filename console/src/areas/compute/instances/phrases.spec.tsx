import { act, screen } from '@testing-library/react'
import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { expect, it } from 'vitest'
import { renderUi } from '../../../testing/render-ui'
import { InstanceAddresses } from './InstanceAddresses'
import { InstanceStorage } from './InstanceStorage'

it('isolates the volume count from the size, so that the order is correct in right-to-left text', async () => {
  const volumes = [{ size: 10 * GiB }, { size: 100 * GiB }] as Instance['volumes']
  await act(async () => renderUi(<InstanceStorage volumes={volumes} />))
  expect((await screen.findByText('2 volumes')).tagName).toBe('BDI')
  expect(screen.getByTitle(/B$/).textContent).toBe('110\u00a0GiB')
})

it('keeps the plus sign before the address count in right-to-left text', () => {
  const addresses = ['10.20.0.12', '10.20.0.13', '10.20.0.14'].map((ip_address) => ({ ip_address }))
  renderUi(<InstanceAddresses instance={{ network_data: [{ fixed_ips: addresses }] } as Instance} />)
  expect(screen.getByText('+2').dir).toBe('ltr')
})
