"""Credentials by the place that a form gives them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.redaction.redactor import redact

FORMS = (
    "psexec -u ana -p {} cmd",
    "mosquitto_pub -h broker -u sensor -P {} -t home/temp -m 21",
    "snmpwalk -v3 -u ana -a SHA -A {} 10.0.0.1",
    "etcdctl --user root:{} get /shop",
    "xfreerdp /v:web1 /u:ana /p:{}",
    "new PDO('mysql:host=db', 'app', '{}');",
    'mysqli_connect("db", "app", "{}", "shop")',
    'DriverManager.getConnection(url, "app", "{}")',
    "request(app).auth('ana', '{}')",
    'sql.Open("mysql", "app:{}@tcp(db:3306)/shop")',
    "sqlplus system/{}@db1:1521/XE",
    "INSERT INTO users (email, password) VALUES ('ana@shop.example', '{}'), ('bob@shop.example', NULL);",
    'variable "db_password" {\n  type = string\n  default = "{}"\n}',
    "<key>password</key>\n<string>{}</string>",
    'proxy_set_header X-Auth-Key "{}";',
    "rabbitmqctl add_user worker {}",
    "net user ana {} /add",
    "kubectl create secret generic api --from-literal=key={}",
    'gh secret set DEPLOY_KEY --body "{}"',
    "set -x GITHUB_TOKEN {}",
    "rootpw --plaintext {}",
    'expect "assword:"\nsend "{}\\r"',
    "USER web\r\n331 Please specify the password.\r\nPASS {}\r\n",
    'echo "ana:{}" | sudo chpasswd',
    "| host | user | password |\n| --- | --- | --- |\n| web1 | ana | {} |",
    "name,login,password\nAna,ana,{}",
    'let password = String::from("{}");',
    "password: str = '{}'",
    "password (do not share): {}",
    "ansible_become_pass: {}&7",
    "user admin insecure-password {}",
    "creds for jenkins -> admin:{}",
    "we rotated the db password from lemon8tree to {} yesterday",
    "if it asks for a password try {}",
    'it accepts "{}" as password',
    "The BIOS password, in case we need it, is {}",
    "sudo curl -u ana:{} https://shop.example",
    "docker exec web curl -u ana:{} https://shop.example",
    "docker login registry.example -u ci -p {}",
    "ldapsearch -x -U ana -w {} uid=bo",
    "sqlcmd -S db -U sa -P {}",
    "kubectl create secret generic api --from-literal=username=ana --from-literal=key={}",
)
VALUES = st.from_regex(r"[g-z]{3,6}[0-9][A-Za-z]{3,8}[0-9]", fullmatch=True)


@pytest.mark.parametrize("form", FORMS)
@given(value=VALUES)
def test_a_value_in_the_place_for_it_is_removed(form, value):
    """Whatever the value is, it goes, and nothing else of the form's own words does."""
    redacted = redact(form.replace("{}", value)).text
    assert value not in redacted
    assert redacted.split()[0].strip("\"'|") == form.split()[0].strip("\"'|")
    assert redact(redacted).text == redacted


@pytest.mark.parametrize(
    "text",
    [
        "nmap -p 22,80,443 -u 10.0.0.5",
        "docker run --user node:node -p 8080:80 web",
        "rsync -u -p src/ dst/",
        "mysql -u app -p shop2026",
        "mysql -u app -p -e 'select 1' shop",
        "new PDO($dsn, $user, $password)",
        'connect("db", user, os.environ["PW1"])',
        'sql.Open("mysql", os.Getenv("DSN2"))',
        "npm:lodash2@4.17.21 and nginx:1.25@sha256:4f9a1c7b",
        "INSERT INTO users (email, password) VALUES ($1, $2), (?, ?);",
        "INSERT INTO roles (name, level) VALUES ('admin', 'high1');",
        'variable "db_password" {\n  type = string\n  sensitive = true\n}\nvariable "region" { default = "eu-west-1" }',
        "<key>CFBundleVersion</key>\n<string>482.1</string>",
        "proxy_set_header X-Forwarded-Proto $scheme;",
        'expect "login:"\nsend "ana2\\r"',
        "| setting | password |\n| --- | --- |\n| min length | 12 |\n| hash | sha256 |\n| rotation | 90 days |",
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db1",
        "Failed password for invalid user admin from 10.0.0.4 port 51234 ssh2",
        "the reset interval of the password went from 30 to 90 days",
        "openssl rsa -in key.pem -passin file:/run/secrets/pass1",
        "connect('db1', 'app1', 'utf8')",
        "password reset: try http2 first",
        "the passphrase of a job's environment, type at a terminal",
        "psql -U postgres -X db_prod1",
        "psql -U postgres -p 5433 -w mydb1",
        "psql -U app -A report_2024",
        "docker run --user node -w app1 img",
        "mvn -U clean install -Pprod2",
        "sudo -u www-data php -A index8",
        "git push -u origin:main2",
        "sudo -u app:staff2 ls",
        "podman run --user app:staff2 img",
        "docker run --rm \\\n  --user app:staff2 img",
        'psycopg.connect("db","user1","app_db2")',
        'db.connect("host1", 5432, "mydb2")',
        'signal.connect("clicked","on_click","slot_1")',
        'auth("jwt","HS256")',
        'auth("google","oauth2")',
        'credentials("aws","us-east-1")',
        '"token_type": {"type":"string","default":"bearer"}',
        '"password_policy": {"default":"strong"}',
        "--from-literal=username=admin1",
        "kubectl create secret generic api --from-literal=username=admin1",
        "--secret-string file://s.json",
        "aws secretsmanager create-secret --name api --secret-string file://s.json",
        "redis:cache1@node1:6379",
        "setx API_KEY_PATH C:\\keys\\k1",
        "setx API_KEY C:\\keys\\k1",
        "?partition_key=customer-2024-05-01",
        "Use `password_hash2` as the password column",
        "The login code is LEGACY.",
    ],
)
def test_what_only_stands_where_a_credential_may_stand_stays(text):
    """Ports, paths, flags, variables, rules about passwords and names of letters alone are none."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("", "app:x1y2z3@"),
        ("", "-u a -p "),
        ("", "connect('a','b',"),
        ("", "insert into t (password) values ("),
        ("insert into t (password) values (", " "),
        ("", "'password' {"),
        ("", "\t|pw|"),
        ("", " -u aa -p b1cd"),
        ("", "chpasswd:\n"),
        ("", "chpasswd:x\n"),
        ("", "chpasswd:"),
    ],
)
def test_the_work_grows_with_the_text(head, unit):
    """Ten times the text takes no more than some thirty times the time, at the best of three on a busy machine."""

    def seconds(text):
        began = time.process_time()
        redact(text)
        return time.process_time() - began

    few, many = head + unit * 900, head + unit * 9000
    bound = 30 * max(0.01, *(seconds(few) for _ in range(3)))
    assert any(seconds(many) < bound for _ in range(3))


@pytest.mark.parametrize("word", ["pass", "password", "    pass", "pwd"])
@pytest.mark.parametrize("field", ["file_path", "new_string", "description"])
def test_a_word_in_a_call_does_not_make_the_next_field_a_secret(word: str, field: str) -> None:
    """An edit that takes out `pass` has fields behind it; a value behind the same word is one all the same."""
    call = f'{{"old_string": "{word}", "{field}": "/a/b.py"}}'
    assert redact(call).text == call
    assert "Kx93lq!v" not in redact(f'page.fill("#{word.strip()}", "Kx93lq!v")').text
