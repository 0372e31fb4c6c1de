import { update } from '@mainstay/contract/core/endpoint'
import { route, type PageRoute } from '../../nav/route'
import { SettingsIcon } from '../../ui/icons'

/** The settings: each part of their page has an address. */
export const settingsRoutes: readonly PageRoute[] = [
  route('settings/email', () => import('./SettingsPage'), {
    needs: 'settings_notifications',
    texts: 'settings',
    title: 'email.title',
    panel: 'admin',
    menu: { group: 'main', icon: SettingsIcon, label: 'menu.settings' },
  }),
  route('settings/certificate', () => import('./SettingsPage'), {
    needs: 'ssl',
    texts: 'settings',
    title: 'certificate.title',
    panel: 'admin',
  }),
  route('settings/ldap', () => import('./SettingsPage'), {
    needs: 'settings_ldap',
    texts: 'settings',
    title: 'ldap.title',
    panel: 'admin',
  }),
  route('settings/sessions', () => import('./SettingsPage'), {
    needs: 'settings_sessions',
    texts: 'settings',
    title: 'sessions.title',
    panel: 'admin',
  }),
  route('settings/recycle-bin', () => import('./SettingsPage'), {
    needs: 'settings_recycle_bin',
    texts: 'settings',
    title: 'recycle-bin.title',
    panel: 'admin',
  }),
  route('settings/appearance', () => import('./SettingsPage'), {
    needs: update('domain_props'),
    texts: 'settings',
    title: 'appearance.title',
    panel: 'admin',
  }),
  // who only reports problems may ask whether that can be done, and has no settings
  route('settings/reports', () => import('./SettingsPage'), {
    needs: 'settings_notifications',
    texts: 'settings',
    title: 'reports.title',
    panel: 'admin',
  }),
]
