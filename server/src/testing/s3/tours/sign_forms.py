# Signs forms with boto3. Input: a list of arguments for generate_presigned_post, each with the `version` of its signature and
# the `keys` of the signer. Output: a list of URLs and fields.
import json
import os
import sys

import boto3
from botocore.client import Config


def signed(form):
    access_key, secret_key = form["keys"]
    client = boto3.client(
        "s3",
        endpoint_url=os.environ["ENDPOINT"],
        region_name="us-east-1",
        aws_access_key_id=access_key,
        aws_secret_access_key=secret_key,
        config=Config(signature_version=form["version"], s3={"addressing_style": "path"}),
    )
    return client.generate_presigned_post(**form["asked"])


json.dump([signed(form) for form in json.load(sys.stdin)], sys.stdout)
