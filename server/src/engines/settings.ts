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
  s3,
  rgw,
}: Config): Omit<EngineSettings, 'onFirstStart'> => ({
  ...{ embedded, cloud, areas, hypervisor, world, adminPassword, s3, rgw },
  folder: path.join(dataFolder, 'engine'),
})
