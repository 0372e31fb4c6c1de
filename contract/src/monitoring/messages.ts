export const monitoring = {
  alert_advice_backup_failed:
    'Open the backup plan to see which volumes have no new recovery point, or whose test restore failed, and why.',
  alert_advice_balancer_certificate_expires:
    'Get a new certificate, and upload it with its private key to the load balancer pool.',
  alert_advice_balancer_error: 'Open the load balancer to see the reason. Then rebuild it.',
  alert_advice_certificate_expires: 'Upload a new certificate in the settings.',
  alert_advice_figures_down:
    'Check the metrics store. Until it responds, alerts about load and quotas are neither raised nor closed.',
  alert_advice_management_backup_overdue:
    'Open Infrastructure > Backup to see why the last backup failed. Then create a backup.',
  alert_advice_node_clock_wrong:
    'Install and start a time service on the host, such as chrony, and check that it reaches its servers.',
  alert_advice_node_disk_failed: 'Back up the data on the disk, then replace the disk.',
  alert_advice_node_down: 'Check the host’s power, network and services.',
  alert_advice_node_high_cpu: 'Stop or move virtual machines, or add a host.',
  alert_advice_node_high_memory: 'Stop or move virtual machines, or add memory.',
  alert_advice_node_low_space: 'Delete images, snapshots and volumes that you do not need, or add disk space.',
  alert_advice_part_down: 'Check the component on the Engines page and in the server log.',
  alert_advice_quota_near_limit: 'Delete resources that you do not need, or ask for a higher quota.',
  alert_advice_storage_full: 'Delete volumes that you do not need, empty the recycle bin, or add disk space.',
  alert_advice_storage_nearly_full: 'Delete volumes that you do not need, empty the recycle bin, or add disk space.',
  alert_advice_task_fails_often: 'Check the task list for the reason before you try again.',
  alert_advice_task_stuck: 'Open the task and cancel it if possible. Check the server log.',
  alert_advice_vm_error:
    'Open the virtual machine to see the reason. Then start it again, or recreate it from its image.',
  alert_advice_vm_high_cpu: 'Check what is running in the virtual machine, or resize it to a larger flavor.',
  alert_advice_vm_high_memory: 'Check what is running in the virtual machine, or resize it to a larger flavor.',
  alert_advice_vm_stuck:
    'Check the virtual machine’s tasks and the server log. Then try again, or reset the state of the virtual machine.',
  alert_advice_volume_error: 'Open the volume to see the reason. Then reset its state, or delete it.',
  alert_advice_volume_stuck:
    'Check the volume’s tasks and the server log. Then try again, or reset the state of the volume.',
  alert_advice_vpn_down: 'Open the connection to see the reason. Compare the settings on both sides.',
  alert_backup_failed: 'The last run of a backup plan failed for all or some volumes, or its last test restore failed',
  alert_balancer_certificate_expires: 'A load balancer certificate expires soon',
  alert_balancer_error: 'A load balancer is in the error state',
  alert_certificate_expires: 'The server certificate expires soon',
  alert_figures_down: 'The metrics store is not responding',
  alert_management_backup_overdue: 'The last management backup is older than 24 hours',
  alert_node_clock_wrong: 'The clock on a host is wrong',
  alert_node_disk_failed: 'A disk on a host is failing',
  alert_node_down: 'A host is not responding',
  alert_node_high_cpu: 'CPU usage on a host is high',
  alert_node_high_memory: 'Memory usage on a host is high',
  alert_node_low_space: 'The disk on a host is almost full',
  alert_part_down: 'A platform component is not working',
  alert_quota_near_limit: 'A project quota is almost used up',
  alert_storage_full: 'The storage is full',
  alert_storage_nearly_full: 'The storage is almost full',
  alert_task_fails_often: 'A task fails repeatedly',
  alert_task_stuck: 'A task is stuck',
  alert_title_backup_failed:
    '{count, plural, one {The last run or test restore of the backup plan {name} failed} other {The last runs or test restores of # backup plans failed}}',
  alert_title_balancer_certificate_expires:
    '{count, plural, one {A certificate on load balancer {name} expires soon} other {Certificates on # load balancers expire soon}}',
  alert_title_balancer_error:
    '{count, plural, one {Load balancer {name} is in the error state} other {# load balancers are in the error state}}',
  alert_title_certificate_expires:
    '{count, plural, one {The server certificate expires soon} other {# certificates expire soon}}',
  alert_title_figures_down:
    '{count, plural, one {The metrics store is not responding} other {# metrics stores are not responding}}',
  alert_title_management_backup_overdue: 'The last management backup is older than 24 hours',
  alert_title_node_clock_wrong:
    '{count, plural, one {The clock on host {name} is wrong} other {The clocks on # hosts are wrong}}',
  alert_title_node_disk_failed: '{count, plural, one {A disk on host {name} is failing} other {# disks are failing}}',
  alert_title_node_down: '{count, plural, one {Host {name} is not responding} other {# hosts are not responding}}',
  alert_title_node_high_cpu:
    '{count, plural, one {CPU usage on host {name} is high} other {CPU usage on # hosts is high}}',
  alert_title_node_high_memory:
    '{count, plural, one {Memory usage on host {name} is high} other {Memory usage on # hosts is high}}',
  alert_title_node_low_space:
    '{count, plural, one {The disk on host {name} is almost full} other {The disks on # hosts are almost full}}',
  alert_title_part_down:
    '{count, plural, one {Platform component {name} is not working} other {# platform components are not working}}',
  alert_title_quota_near_limit:
    '{count, plural, one {A quota for project {name} is almost used up} other {# quotas are almost used up}}',
  alert_title_storage_full: '{count, plural, one {The storage is full} other {# storage systems are full}}',
  alert_title_storage_nearly_full:
    '{count, plural, one {The storage is almost full} other {# storage systems are almost full}}',
  alert_title_task_fails_often:
    '{count, plural, one {A task on {name} fails repeatedly} other {# tasks fail repeatedly}}',
  alert_title_task_stuck: '{count, plural, one {A task on {name} is stuck} other {# tasks are stuck}}',
  alert_title_vm_error:
    '{count, plural, one {Virtual machine {name} is in the error state} other {# virtual machines are in the error state}}',
  alert_title_vm_high_cpu:
    '{count, plural, one {CPU usage on virtual machine {name} is high} other {CPU usage on # virtual machines is high}}',
  alert_title_vm_high_memory:
    '{count, plural, one {Memory usage on virtual machine {name} is high} other {Memory usage on # virtual machines is high}}',
  alert_title_vm_stuck: '{count, plural, one {Virtual machine {name} is stuck} other {# virtual machines are stuck}}',
  alert_title_volume_error:
    '{count, plural, one {Volume {name} is in the error state} other {# volumes are in the error state}}',
  alert_title_volume_stuck: '{count, plural, one {Volume {name} is stuck} other {# volumes are stuck}}',
  alert_title_vpn_down: '{count, plural, one {VPN connection {name} is down} other {# VPN connections are down}}',
  alert_vm_error: 'A virtual machine is in the error state',
  alert_vm_high_cpu: 'CPU usage on a virtual machine is high',
  alert_vm_high_memory: 'Memory usage on a virtual machine is high',
  alert_vm_stuck: 'A virtual machine is stuck',
  alert_volume_error: 'A volume is in the error state',
  alert_volume_stuck: 'A volume is stuck',
  alert_vpn_down: 'A VPN connection is down',
  answer_too_long: 'The result is too large. Request less data, or use a longer step.',
  audit_start: 'At most {most} entries can be skipped. Use the `marker` from `pages`, or narrow the filters.',
  dashboards_of_operators: ['forbidden', 'Only system administrators can open the dashboards'],
  ends_before_start: 'The end cannot be before the start',
  enter_query: 'Enter a query',
  inner_step: 'Use a longer step inside the brackets. A subquery can have at most {most} points.',
  metrics_advice: ['metrics_missing', '{advice}'],
  metrics_missing: ['metrics_missing', 'Metrics history is not set up'],
  metrics_missing_ask: ['metrics_missing', 'Metrics history is not set up. Ask a system administrator.'],
  metrics_need_project: ['forbidden', 'Choose a project to see its metrics'],
  metrics_of_operators: ['forbidden', 'Only system administrators can read the metrics'],
  metrics_unavailable: ['metrics_unavailable', 'Metrics are temporarily unavailable. Try again later.'],
  name_before_labels: 'Put the metric name before the labels (see character {place})',
  name_instances: 'Specify the IDs of the virtual machines',
  name_metrics: 'Specify metrics by name, for example mainstay_vm_cpu_usage_ratio',
  nested_range: 'Subqueries cannot be nested',
  no_threshold: 'This alert rule has no threshold',
  not_promql: 'This is not valid PromQL (see character {place})',
  period_too_long: 'Choose a period of at most {most} days',
  plain_durations: 'Enter the range and the step as durations, for example [1h:5m]',
  query_refused: 'The query is not valid or requests too much data at once',
  range_too_long: '{range} is longer than the 30 days for which metrics are kept',
  step_form: 'Enter a number of seconds or a duration such as 5m. The minimum is one second.',
  step_too_short: 'Use a longer step. A series can have at most {most} points.',
  suspend_as_well: 'To set suspended_until, also set suspended to true',
  time_form: 'Enter a Unix timestamp in seconds, or a time such as 2026-01-31T12:00:00Z',
  too_many_instances: 'Specify at most {most} virtual machines',
  too_many_metrics: 'Use at most {most} metrics in a query',
  too_many_percent: 'Enter a value up to {most} percent',
} as const
