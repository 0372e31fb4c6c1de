import {
  modeField,
  type MaintenanceCheck,
  type MaintenanceMode,
  type MaintenanceModes,
  type MaintenancePrecheck,
  type MaintenanceService,
} from '@mainstay/contract/infrastructure/node-maintenance'

export type Modes = MaintenanceModes

/** Services with checks, in the order of the server. */
export const servicesOf = ({ checks }: MaintenancePrecheck): MaintenanceService[] => [
  ...new Set(checks.map(({ service }) => service)),
]

/** Modes that a service can have. */
export const modesOf = ({ checks }: MaintenancePrecheck, of: MaintenanceService): MaintenanceMode[] =>
  checks.filter(({ service }) => service === of).map(({ mode }) => mode)

/** The check of each service with its chosen mode. */
export const chosenChecks = (precheck: MaintenancePrecheck, modes: Modes): MaintenanceCheck[] =>
  servicesOf(precheck).flatMap((of) => {
    const own = precheck.checks.filter(({ service }) => service === of)
    return own.find(({ mode }) => mode === modes[modeField(of)]) ?? own[0] ?? []
  })
