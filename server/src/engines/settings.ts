import path from 'node:path'
import type { EngineSettings } from '@mainstay/engines/ports/engines'
import type { Config } from '../config'

/** What the configuration says of the engines. */
export const engineSettings = ({
  embedded,
  cloud,
  areas,
  hypervisor,
  world,
  dataFolder,
  adminPassword,
}: Config): Omit<EngineSettings, 'onFirstStart'> => ({
  ...{ embedded, cloud, areas, hypervisor, world, adminPassword },
  folder: path.join(dataFolder, 'engine'),
})
