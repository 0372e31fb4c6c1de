import { inside, nullsIgnored, numbers, type CallTolerances } from '../core/tolerance'
import { notifications } from './notifications'

export const settingsTolerances: CallTolerances = [
  ...[notifications.save, notifications.test].map(
    (call) =>
      [
        call,
        {
          body: [
            inside(
              'notification_settings',
              nullsIgnored('from', 'sender_name', 'cloud_name', 'email_recipients_list', 'alerts_severities'),
            ),
            inside(
              'smtp_settings',
              nullsIgnored('smtp_server', 'port', 'connection_security', 'account_name', 'password'),
              numbers('port'),
            ),
          ],
        },
      ] as const,
  ),
]
