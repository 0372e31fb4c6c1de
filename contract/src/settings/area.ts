import { area } from '../core/area'
import { ssl } from './certificate'
import { ldap } from './ldap'
import { notifications } from './notifications'
import { recycleBinSettings } from './recycle-bin'
import { reports } from './reports'
import { sessionSettings } from './sessions'
import { snmp } from './snmp'
import { settingsTolerances } from './tolerances'

export const settingsArea = area({
  name: 'settings',
  title: 'settings',
  resources: {
    ldap: { calls: ldap },
    sessionSettings: { calls: sessionSettings },
    recycleBinSettings: { calls: recycleBinSettings },
    notifications: { calls: notifications },
    snmp: { calls: snmp },
    ssl: { calls: ssl },
    reports: { calls: reports },
  },
  tolerances: settingsTolerances,
})
