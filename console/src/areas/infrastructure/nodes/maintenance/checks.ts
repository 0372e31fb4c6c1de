import {
  modeField,
  type MaintenanceCheck,
  type MaintenanceMode,
  type MaintenanceModes,
  type MaintenancePrecheck,
  type MaintenanceService,
} from '@mainstay/contract/infrastructure/node-maintenance'

export type Modes = MaintenanceModes

/** Returns the services that have checks, in the order sent by the server. */
export const servicesOf = ({ checks }: MaintenancePrecheck): MaintenanceService[] => [
  ...new Set(checks.map(({ service }) => service)),
]

/** Returns the modes available for a service. */
export const modesOf = ({ checks }: MaintenancePrecheck, of: MaintenanceService): MaintenanceMode[] =>
  checks.filter(({ service }) => service === of).map(({ mode }) => mode)

/** Returns the check for the chosen mode of each service. */
export const chosenChecks = (precheck: MaintenancePrecheck, modes: Modes): MaintenanceCheck[] =>
  servicesOf(precheck).flatMap((of) => {
    const own = precheck.checks.filter(({ service }) => service === of)
    return own.find(({ mode }) => mode === modes[modeField(of)]) ?? own[0] ?? []
  })
