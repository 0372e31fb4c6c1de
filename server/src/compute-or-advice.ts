import { Problem } from '@mainstay/contract/core/problems'
import type { ComputeMissing, ComputePort } from '@mainstay/engines/ports/compute'

/** A compute engine; where there is none, one whose every command answers what to install. */
export function computeOrAdvice(found: ComputePort | ComputeMissing): {
  compute: ComputePort
  computeMissing: ComputeMissing | null
} {
  if (!('missing' in found)) return { compute: found, computeMissing: null }
  const refuse = () => Promise.reject(new Problem('not_configured', found.advice))
  // the commands of each part of the port are whatever its interface says; all of them refuse
  // ... but what would make it a promise: awaiting it must come to an end
  const part = <Port extends object>(): Port =>
    new Proxy({} as Port, { get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : refuse) })
  const compute: ComputePort = {
    name: 'none',
    view: { kind: 'record' },
    capabilities: {
      instance_actions: [],
      image_formats: [],
      console_protocols: [],
      instance_ha: false,
      live_resize: false,
      max_vcpus: 0,
      max_ram: 0,
      instance_placements: false,
      placement_details: false,
    },
    about: { hypervisor: 'none', accelerator: 'none', simulated: false },
    instances: part(),
    images: part(),
    flavors: part(),
    sshKeys: part(),
    serverGroups: part(),
    placements: part(),
    volumes: part(),
    quotas: refuse,
    stat: refuse,
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return { compute, computeMissing: found }
}
