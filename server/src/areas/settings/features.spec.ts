import { featureCalls, type Feature } from '@mainstay/contract/settings/features'
import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../config'
import { startServer } from '../../testing/start-server'

it('GET /features.json lists the ID, state and target of features for anonymous users [CA-029] [EN-006]', async () => {
  const server = await startServer({ environment: { MAINSTAY_FEATURES_OFF: 'project-search, keyboard-shortcuts' } })
  try {
    const response = await fetch(`${server.url}/features.json`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const told = (await response.json()) as Feature[]
    expect(told).toEqual([
      { id: 'tasks-notifications', enabled: true, metadata: { target: 'common' } },
      { id: 'keyboard-shortcuts', enabled: false, metadata: { target: 'common' } },
      { id: 'project-search', enabled: false, metadata: { target: 'self-service' } },
    ])
    expect(await server.call(featureCalls.list, { as: 'project-member' })).toEqual(told)
  } finally {
    await server.close()
  }
})

it('does not start if the configuration disables an unknown feature', () => {
  const read = (MAINSTAY_FEATURES_OFF: string) => readConfig({ MAINSTAY_FEATURES_OFF }).featuresOff
  expect(read('project-search')).toEqual(['project-search'])
  expect(read('')).toEqual([])
  expect(() => read('project-search,flying')).toThrow(ConfigError)
  expect(() => read('flying')).toThrow('must be features of the console: tasks-notifications')
})
