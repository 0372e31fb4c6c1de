import { expect, test } from 'vitest'
import { busAddresses } from './bus-addresses'

test('accepts the URL formats of AMQP clients and of `transport_url`', () => {
  expect(busAddresses('amqp://mainstay:x@bus:5672/')).toEqual(['amqp://mainstay:x@bus:5672/%2F'])
  expect(busAddresses('amqps://mainstay:x@bus')).toEqual(['amqps://mainstay:x@bus/%2F'])
  expect(busAddresses('amqp://bus/cloud?heartbeat=5')).toEqual(['amqp://bus/cloud?heartbeat=5'])
  expect(busAddresses('rabbit://a:x@one:5672,a:x@two:5672/cloud?ssl=1')).toEqual([
    'amqps://a:x@one:5672/cloud',
    'amqps://a:x@two:5672/cloud',
  ])
})

test('refuses other URLs without revealing their password', () => {
  expect(() => busAddresses('http://mainstay:secret@bus/')).toThrow(/must have the form/)
  expect(() => busAddresses('http://mainstay:secret@bus/')).not.toThrow(/secret/)
})
