import { createElement, type ComponentType } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import type reports from '../../../locales/en/reports.json'
import type settings from '../../../locales/en/settings.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type MenuPlace, type PageRoute } from '../../nav/route'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    reports: typeof reports
    settings: typeof settings
  }
}

/** Defines a settings page whose title is its menu label. */
const settingsPage = (
  part: string,
  needs: Parameters<typeof route>[2]['needs'],
  menu: Omit<MenuPlace, 'icon'>,
  load: () => Promise<{ default: ComponentType }>,
  shows?: string,
): PageRoute =>
  route(
    `settings/${part}`,
    async () => {
      const [{ SettingsPage }, { default: Part }] = await Promise.all([import('./SettingsPage'), load()])
      return { default: () => createElement(SettingsPage, { label: menu.label }, createElement(Part)) }
    },
    { needs, texts: 'settings', panel: 'admin', menu: { ...menu, icon: 'SettingsIcon' }, ...(shows && { shows }) },
  )

const pages: readonly PageRoute[] = [
  settingsPage(
    'email',
    'settings_notifications',
    { in: 'settings.system', label: 'menu.email' },
    () => import('./email/EmailPart'),
  ),
  settingsPage('snmp', 'settings_snmp', { in: 'settings.system', label: 'menu.snmp' }, () => import('./snmp/SnmpPart')),
  settingsPage(
    'encryption',
    'cluster_settings',
    { in: 'settings.system', label: 'menu.encryption' },
    () => import('./encryption/EncryptionPart'),
    // tasks that change the encryption link to this page
    'cluster',
  ),
  settingsPage(
    'certificate',
    'ssl',
    { in: 'settings.system', label: 'menu.certificate' },
    () => import('./certificate/CertificatePart'),
  ),
  settingsPage(
    'recycle-bin',
    'settings_recycle_bin',
    { in: 'settings.system', label: 'menu.recycleBin' },
    () => import('./recycle-bin/RecycleBinPart'),
  ),
  settingsPage(
    'appearance',
    update('domain_props'),
    { in: 'settings.system', label: 'menu.appearance' },
    () => import('./appearance/AppearancePart'),
  ),
  // users who may only report problems have no settings page
  settingsPage(
    'reports',
    'settings_notifications',
    { in: 'settings.system', label: 'menu.reports' },
    () => import('./reports/ReportsPart'),
  ),
  settingsPage(
    'ldap',
    'settings_ldap',
    { in: 'settings.signIn', label: 'menu.directory' },
    () => import('./ldap/LdapPart'),
  ),
  settingsPage(
    'sessions',
    'settings_sessions',
    { in: 'settings.signIn', label: 'menu.sessions' },
    () => import('./sessions/SessionsPart'),
  ),
]

/** Settings pages for operators. */
export const settingsAdminArea: ConsoleArea = { pages }
