import { type Command, problem, task, v2 } from './shapes'

const reports = `${v2}/settings/reports`
const mail = { notification_settings: { from: 's', alerts_severities: ['s'] }, smtp_settings: { port: 'n' } } as const

/** The installation's settings. */
export const settingsCommands: readonly Command[] = [
  {
    command: 'settings report set',
    as: 'operator',
    exchanges: [
      { send: `PUT ${reports}`, status: 200, shape: 'o', body: { problem: { url: 'https://127.0.0.1:9/reports' } } },
      ...['enable-sending', 'disable-sending'].flatMap((action) => [
        {
          ...{ send: `POST ${reports}/problem/${action}/`, status: 202, shape: { task_id: 's' } as const },
          keep: { task: 'task_id' },
        },
        {
          ...{ send: `GET ${v2}/tasks/{task}`, status: 200, shape: { ...task, result: 'o?' } as const },
          until: { field: 'state', is: 'success', waits: ['running', 'scheduled', 'starting'] },
        },
        {
          ...{ send: `GET ${reports}/`, status: 200, shape: { problem: { sending_enabled: 'b' } } as const },
          equals: { 'problem.sending_enabled': action === 'enable-sending' },
        },
      ]),
      { send: `POST ${reports}/crash/enable-sending/`, status: 422, shape: problem },
    ],
  },
  {
    command: 'settings email-notifications set, without --from, --sender-name, --email-recipients-list',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `PUT ${v2}/notifications/`, status: 200, shape: mail },
        body: {
          notification_settings: {
            ...{ from: null, sender_name: null, email_recipients_list: null, alerts_severities: ['error'] },
          },
          smtp_settings: { smtp_server: null, port: null, account_name: null, password: null },
        },
        equals: { 'notification_settings.alerts_severities': ['error'] },
      },
    ],
  },
]
